--- `status`: shows the state of the connection, the daemon and the session on one screen.

local client = require("copydesk.client")
local limits = require("copydesk.time_limits")

local M = { summary = "status: show connection, daemon and session" }

---@return string
local function connection()
  local status, trouble = client.status()
  local words = {
    off = "not connected; connects on first use",
    starting = "connecting",
    ready = "connected",
    failed = "failed: " .. (trouble or ""),
  }
  return words[status]
end

---@param lines string[]
---@param name string
---@param value any
local function add(lines, name, value)
  if value ~= nil and value ~= "" then
    lines[#lines + 1] = ("%-12s %s"):format(name, value)
  end
end

---@param count integer
---@param word string
---@return string
local function several(count, word)
  return ("%d %s%s"):format(count, word, count == 1 and "" or "s")
end

--- How many documents of this Neovim the daemon has open.
---@return integer
local function count_documents()
  local buffers = vim.tbl_filter(require("copydesk.buffer").is_document, vim.api.nvim_list_bufs())
  return #buffers
end

--- What fills the model's context, as of the last request.
---@param view copydesk.View
---@return string?
local function context_shares(view)
  for number = #view.parts, 1, -1 do
    local content = view.parts[number].content
    local context = content.kind == "stepFinish" and content.context
    if context then
      local words = {}
      for _, name in ipairs({ "system", "tools", "files", "outputs", "conversation", "summary" }) do
        if context[name] > 0 then
          words[#words + 1] = ("%s %d"):format(name, context[name])
        end
      end
      return ("%s, of %d"):format(table.concat(words, ", "), context.window)
    end
  end
end

---@param view copydesk.View
---@param lines string[]
local function session(view, lines)
  local used = require("copydesk.chat.winbar").used(view)
  lines[#lines + 1] = ""
  add(lines, "Session", view.session.title or "(no title yet)")
  add(lines, "Folder", vim.fn.fnamemodify(view.session.folder, ":~"))
  add(lines, "Agent", view.session.agent)
  add(lines, "Preset", view.session.activePreset or view.session.preset)
  add(lines, "Model", used.model or "the default")
  local seconds = require("copydesk.progress").seconds(view)
  add(lines, "Turn", view.running and ("%d, running for %d s"):format(view.running, seconds or 0) or "none is running")
  add(lines, "Tokens", used.tokens > 0 and ("%d in the last request"):format(used.tokens) or nil)
  add(lines, "Context", context_shares(view))
  add(lines, "Cost", used.cost > 0 and ("$%.4f"):format(used.cost) or nil)
  for _, job in ipairs(view.jobs) do
    add(lines, "Job", ("%d %s"):format(job.id, job.command))
  end
  local waiting = #require("copydesk.ask").list(view.id)
  add(lines, "Waiting", waiting > 0 and ("%d for your answer"):format(waiting) or nil)
  local undecided = require("copydesk.review").count(view.id)
  add(lines, "Undecided", undecided > 0 and ("%d hunk%s"):format(undecided, undecided == 1 and "" or "s") or nil)
end

--- How many edits each match tier found.
---@param counts? copydesk.MatchTierCount[]
---@return string
local function tiers(counts)
  local words = vim.tbl_map(function(counted)
    return ("%s %d"):format(counted.tier, counted.count)
  end, counts or {})
  return table.concat(words, ", ")
end

--- One of the daemon's language servers, in a line.
---@param server copydesk.ServerInfo
---@return string
local function describe_server(server)
  local detail = server.message and ": " .. server.message or ""
  local words = {
    indexing = (server.percent and ("indexing %d %%"):format(server.percent) or "indexing") .. detail,
    resting = ("crashed%s; restarts soon"):format(detail),
    givenUp = ("stopped after repeated crashes%s; `:Copydesk restart %s` tries again"):format(detail, server.name),
  }
  local state = words[server.state] or server.state .. detail
  local memory = server.memory and (", %d MB"):format(math.ceil(server.memory / 1048576)) or ""
  local root = vim.fn.fnamemodify(server.root, ":~")
  local documents = several(server.documents, "document")
  local place = server.sandboxed and ", in the sandbox" or server.sandboxed == false and ", outside of the sandbox" or ""
  local line = ("%s in %s: %s, %s%s%s"):format(server.name, root, state, documents, memory, place)
  return (line:gsub("%c+", " "))
end

--- The daemon's status, if it is connected and answers soon.
---@return copydesk.StatusResult?
local function daemon_status()
  if not client.get() then
    return nil
  end
  local _, result = require("copydesk.await").await(function(done)
    client.request(require("copydesk.protocol").methods.status, {}, done)
    -- Whichever comes first ends the wait.
    vim.defer_fn(done, limits.status_request)
  end)
  return result
end

function M.run()
  local daemon = daemon_status()
  local lines = {}
  add(lines, "Connection", connection())
  add(lines, "Plugin", "version " .. client.version)
  add(lines, "Message", require("copydesk.message").last())
  if daemon then
    local running = vim.tbl_filter(function(live)
      return live.running
    end, daemon.sessions)
    add(lines, "Daemon", ("version %s, process %d"):format(daemon.version, daemon.pid))
    add(lines, "", ("%s open, %d with a running turn"):format(several(#daemon.sessions, "session"), #running))
    add(lines, "", ("%s, %s"):format(several(daemon.clients, "client"), several(daemon.documents, "document")))
    add(lines, "Edits found", tiers(daemon.tiers))
    for number, server in ipairs(daemon.servers or {}) do
      add(lines, number == 1 and "Servers" or "", describe_server(server))
    end
    for number, missing in ipairs(daemon.missing or {}) do
      local line = ("%s (%s): %s"):format(missing.name, missing.language, missing.hint)
      add(lines, number == 1 and "Missing" or "", (line:gsub("%c+", " ")))
    end
    add(lines, "Documents", ("%d from this Neovim"):format(count_documents()))
  elseif client.get() then
    add(lines, "Daemon", "does not answer; `copydesk stop` in a terminal ends it, the next use starts another")
  end
  local view = require("copydesk.session").current()
  if view then
    session(view, lines)
  end
  local labels = require("copydesk.context").labels()
  add(lines, "Added", #labels > 0 and table.concat(labels, ", ") or nil)
  require("copydesk.scratch").show("status", lines)
end

return M
