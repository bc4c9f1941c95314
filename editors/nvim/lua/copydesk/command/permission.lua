--- `permission [list]`: what the user always allows, with a key to take it back; `permission explain [KEY] CALL`: which rule decides.

local message = require("copydesk.message")

local M = { summary = "permission [list|explain …]: show what is always allowed, or which rule decides about a call" }

--- Asks the daemon about the folder of the session, or of this Neovim.
---@param method string
---@param params table
---@return table?
local function ask_daemon(method, params)
  local view = require("copydesk.session").current()
  params.folder = view and view.session.folder or vim.fn.getcwd()
  local problem, result = require("copydesk.client").await_request(method, params)
  if not result then
    message.error(problem or "the daemon did not answer")
  end
  return result
end

---@param reply copydesk.KeptReplyInfo
---@return string
local function describe(reply)
  local place = "in every session"
  if reply.session then
    local view = require("copydesk.session").view(reply.session)
    place = view and ("in the session %s"):format(require("copydesk.session").name(view.session)) or "in another session"
  elseif reply.since then
    place = ("in every session, since %s"):format(os.date("%d %b %Y", math.floor(reply.since / 1000)))
  end
  return ("%s %s  (%s)"):format(reply.key, reply.pattern, place)
end

local function list()
  local methods = require("copydesk.protocol").methods
  local listed = ask_daemon(methods.permissionList, {})
  if not listed then
    return
  elseif #listed.replies == 0 then
    return message.info(("nothing is always allowed in %s"):format(vim.fn.fnamemodify(listed.project, ":~")))
  end
  local lines = vim.tbl_map(describe, listed.replies)
  local count = #lines
  lines[#lines + 1] = ""
  if not listed.trusted then
    lines[#lines + 1] = "You do not trust this folder, so what is allowed in every session does not count."
  end
  lines[#lines + 1] = "x takes the line under the cursor back, q closes"
  local buffer = require("copydesk.scratch").show("permission", lines)
  if not buffer then
    return
  end
  vim.keymap.set("n", "x", function()
    local reply = listed.replies[vim.api.nvim_win_get_cursor(0)[1]]
    if not reply then
      return message.info(("put the cursor on one of the first %d lines"):format(count))
    end
    require("copydesk.await").run(function()
      local params = { key = reply.key, pattern = reply.pattern, scope = reply.scope, session = reply.session }
      local result = ask_daemon(methods.permissionRevoke, params)
      if result then
        pcall(vim.api.nvim_buf_delete, buffer, { force = true })
        message.info(("no longer allowed: %s %s"):format(reply.key, reply.pattern))
        list()
      end
    end)
  end, { buffer = buffer, nowait = true, desc = "Take back" })
end

---@param args string[]
local function explain(args)
  local target = table.concat(args, " ")
  if target == "" then
    return message.error("name a call: `:Copydesk permission explain git push`, or `… explain read .env`")
  end
  local view = require("copydesk.session").current()
  local report = ask_daemon(require("copydesk.protocol").methods.permissionExplain, {
    target = target,
    agent = view and view.session.agent,
    preset = view and view.session.preset,
  })
  if not report then
    return
  end
  local verdicts = { allow = "It runs without asking", ask = "It asks", deny = "It is denied" }
  local lines = { ("%s (agent %s, preset %s)"):format(verdicts[report.action], report.agent, report.preset) }
  for _, decision in ipairs(report.decisions) do
    lines[#lines + 1] = ("  %-5s %s %s"):format(decision.action, decision.key, decision.pattern)
    lines[#lines + 1] = "        " .. decision.why
  end
  if report.action == "ask" and #report.always > 0 then
    lines[#lines + 1] = '  "always" would allow: ' .. table.concat(report.always, ", ")
  end
  if report.sandbox then
    lines[#lines + 1] = "  " .. report.sandbox.what
  end
  for _, note in ipairs(report.notes) do
    lines[#lines + 1] = "  " .. note
  end
  require("copydesk.scratch").show("permission", lines)
end

function M.run(args)
  if args[1] == "explain" then
    return explain(vim.list_slice(args, 2))
  elseif #args == 0 or #args == 1 and args[1] == "list" then
    return list()
  end
  message.error(("`permission` takes `list` or `explain`, not `%s`"):format(table.concat(args, " ")))
end

function M.complete(lead, args)
  local beginning = require("copydesk.command").beginning
  if #args == 0 then
    return beginning({ "list", "explain" }, lead)
  end
  return {}
end

return M
