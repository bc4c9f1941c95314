--- What other plugins see of us: `User` events, LSP progress of turns, a statusline text.
---
--- Contract: `User` events carry their data in `event.data` and fire after the plugin's own state has changed. Nothing is announced
--- twice.

local session = require("copydesk.session")

require("copydesk.follow")
require("copydesk.review")

local M = {}

---@type table<string, integer> When the turn of a session started, by `uv.now()`, in milliseconds.
local started_at = {}

---@param name string
---@param data table
local function announce(name, data)
  local event = { pattern = "Copydesk" .. name, modeline = false, data = data }
  local ok, problem = pcall(vim.api.nvim_exec_autocmds, "User", event)
  if not ok then
    require("copydesk.message").error(("an autocommand for Copydesk%s failed: %s"):format(name, problem))
  end
end

--- Reports a turn as LSP progress.
---@param view copydesk.View
---@param value table
local function report(view, value)
  local client = require("copydesk.client").get()
  local handler = vim.lsp.handlers["$/progress"]
  if client and handler and require("copydesk.config").get().progress then
    local params = { token = "copydesk/" .. view.id, value = value }
    handler(nil, params, { client_id = client.id, method = "$/progress" })
  end
end

---@param view copydesk.View
---@param ended copydesk.TurnEndInfo
local function notify_end(view, ended)
  local message, level = require("copydesk.message"), require("copydesk.config").get().notify
  local title = view.session.title or "the turn"
  if ended.kind == "failed" and level ~= "none" then
    message.error(ended.message)
  elseif ended.kind == "stepLimit" and level ~= "none" then
    message.warn(("%s: stopped after %d steps; say “continue” to go on"):format(title, ended.steps))
  elseif level == "all" then
    message.info(("%s: %s"):format(title, ended.kind))
  end
end

session.listen(function(view, what, part)
  if what == "turn" and view.running and not started_at[view.id] then
    started_at[view.id] = vim.uv.now()
    report(view, { kind = "begin", title = view.session.title or "Copydesk", message = "thinking" })
    announce("TurnStarted", { session = view.id, turn = view.running })
  elseif what == "turn" and view.ended and started_at[view.id] then
    started_at[view.id] = nil
    report(view, { kind = "end", message = view.ended.kind })
    announce("TurnEnded", { session = view.id, ["end"] = view.ended })
    notify_end(view, view.ended)
  elseif what == "part" and part.content.kind == "call" and view.running then
    report(view, { kind = "report", message = require("copydesk.chat.summary").of(part) })
    if part.state.kind ~= "pending" and part.state.kind ~= "running" then
      announce("Call", { session = view.id, part = part.id, name = part.content.name, state = part.state.kind })
    end
  elseif what == "part" and part.content.kind == "file" and part.state.kind == "error" then
    -- The conversation may be hidden.
    if require("copydesk.config").get().notify ~= "none" then
      require("copydesk.message").warn(require("copydesk.chat.render").file(part))
    end
  elseif what == "warning" then
    announce("Warning", { session = view.id, message = part })
    if require("copydesk.config").get().notify ~= "none" then
      require("copydesk.message").warn(part)
    end
  elseif what == "jobs" then
    announce("Jobs", { session = view.id, running = view.jobs, ended = part })
    for _, job in ipairs(require("copydesk.config").get().notify == "all" and part or {}) do
      require("copydesk.message").info(("job %d %s: %s"):format(job.id, job.command, job.state))
    end
  elseif what == "session" or what == "loaded" or what == "gone" then
    if what == "loaded" and view.running and not started_at[view.id] then
      started_at[view.id] = vim.uv.now()
    elseif started_at[view.id] and (what == "gone" or what == "loaded" and not view.running) then
      -- It ended while we were not connected, so we do not know how.
      started_at[view.id] = nil
      report(view, { kind = "end" })
      announce("TurnEnded", { session = view.id })
    end
    announce("Session", { session = view.id, title = view.session.title, what = what })
  end
end)

--- Announces the state of the connection.
---@param status string
function M.connection(status)
  announce("Connection", { status = status })
end

--- Announces an ask.
---@param item copydesk.OpenAsk
function M.asked(item)
  local title = require("copydesk.ask").title(item)
  announce("Ask", { session = item.session, id = item.id, kind = item.kind, title = title })
  require("copydesk.chat.float").update()
  local config = require("copydesk.config").get()
  if config.notify ~= "none" and not config.ask_float and not require("copydesk.chat").is_visible() then
    require("copydesk.message").info(title .. "? `:Copydesk allow`, `always` or `reject`")
  end
end

--- Announces the number of undecided hunks of a session.
---@param id string
---@param hunks integer
---@param files integer
function M.reviewed(id, hunks, files)
  announce("Review", { session = id, hunks = hunks, files = files })
  require("copydesk.bars").redraw()
end

--- How long the turn of a session has run, in seconds.
---@param view copydesk.View
---@return integer?
function M.seconds(view)
  return view.running and started_at[view.id] and math.floor((vim.uv.now() - started_at[view.id]) / 1000) or nil
end

--- How many background commands run, if any.
---@param view copydesk.View
---@return string?
function M.jobs(view)
  return #view.jobs > 0 and ("%d job%s running"):format(#view.jobs, #view.jobs == 1 and "" or "s") or nil
end

--- A short text for a statusline; empty without a session.
---@return string
function M.statusline()
  local view = session.current()
  if not view then
    return ""
  end
  local icons = require("copydesk.config").get().icons
  local waiting, undecided = #require("copydesk.ask").list(), require("copydesk.review").count()
  local hunks = undecided > 0 and (" %s%d"):format(icons.hunk, undecided) or ""
  local jobs = #view.jobs > 0 and (" %d job%s"):format(#view.jobs, #view.jobs == 1 and "" or "s") or ""
  hunks = jobs .. hunks
  if waiting > 0 then
    return ("%s %d%s"):format(icons.ask, waiting, hunks)
  end
  local seconds = M.seconds(view)
  return (seconds and ("%s %d s"):format(icons.running, seconds) or icons.completed) .. hunks
end

return M
