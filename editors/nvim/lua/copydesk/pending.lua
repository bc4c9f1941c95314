--- The sessions of this folder that run, wait for the user or have undecided hunks. Any client may have started them.
---
--- Contract: learned after every connect. Each is attached, so that its hunks are marked in the buffers and its asks are shown; the
--- current session stays the user's choice. The user is told once about each, in one line.

local client = require("copydesk.client")
local methods = require("copydesk.protocol").methods
local session = require("copydesk.session")

local M = {}

---@type copydesk.PendingSessionInfo[] As last listed.
local pending = {}
---@type table<string, true> The sessions that the user was told about.
local told = {}

--- What a session does or needs, in a few words.
---@param one copydesk.PendingSessionInfo
---@return string
function M.state(one)
  local words = {}
  if one.waiting > 0 then
    words[#words + 1] = "waits for your answer"
  elseif one.running then
    words[#words + 1] = "is running"
  end
  if one.undecided > 0 then
    words[#words + 1] = ("has %d undecided hunk%s"):format(one.undecided, one.undecided == 1 and "" or "s")
  end
  return table.concat(words, ", ")
end

--- The sessions as last listed, without the current one.
---@return copydesk.PendingSessionInfo[]
function M.list()
  local current = session.current()
  return vim.tbl_filter(function(one)
    return not current or one.session.id ~= current.id
  end, pending)
end

--- Tells the user about sessions that are new here.
---@param new copydesk.PendingSessionInfo[]
local function tell(new)
  if #new == 0 or require("copydesk.config").get().notify == "none" then
    return
  end
  local first = ("“%s” %s"):format(session.name(new[1].session), M.state(new[1]))
  local more = #new > 1 and ("; %d more"):format(#new - 1) or ""
  require("copydesk.message").info(("%s%s: `:Copydesk sessions`"):format(first, more))
end

--- Asks the daemon, attaches to the sessions and tells the user.
function M.learn()
  client.request(methods.sessionPending, { folder = vim.fn.getcwd() }, function(_, result)
    pending = result and result.sessions or {}
    local new = {}
    for _, one in ipairs(pending) do
      local id = one.session.id
      if not told[id] and not session.view(id) then
        new[#new + 1] = one
      end
      told[id] = true
      if not session.view(id) then
        session.load(id)
      end
    end
    tell(new)
    require("copydesk.chat.transcript").redraw_tail()
  end)
end

return M
