--- Copydesk for Neovim: `setup`, and the functions that other plugins and the user's own Lua may call (`:help copydesk-lua`).
---
--- Contract: every function returns at once and loads what it needs on call; `setup` loads only the options. Nothing
--- throws; an error is reported in one line.

local M = {}

---@type string[]
local problems = {}

---@class copydesk.Status
---@field connection "off"|"starting"|"ready"|"failed" The state of the connection to the daemon.
---@field problem? string Why it failed.
---@field session? string The id of the session that prompts go to.
---@field title? string Its title.
---@field folder? string Its working folder.
---@field agent? string The name of its agent.
---@field model? string `PROVIDER/MODEL`, if one was chosen.
---@field running boolean Whether a turn runs in it.
---@field seconds? integer For how long.
---@field waiting integer How many asks and questions wait for the user, in all sessions.
---@field undecided integer How many hunks are undecided, in all sessions.
---@field added string[] The context items of the next prompt.

---@class copydesk.AskOptions
---@field context? copydesk.ContextItem[] Context besides the prompt's mentions and the items added before.
---@field show? boolean `false` leaves the conversation hidden.
---@field steer? boolean Send it into the running turn instead of queueing it.
---@field done? fun(problem?: string) Called when the daemon has accepted the prompt, or with the reason why it did not.

--- Sets the options (`:help copydesk-options`). Optional: without it the defaults apply.
---@param options? table
function M.setup(options)
  local config = require("copydesk.config")
  problems = config.set(options)
  for _, problem in ipairs(problems) do
    require("copydesk.message").warn("setup: " .. problem)
  end
  if not config.get().autostart then
    return
  end
  local function connect()
    require("copydesk.client").connect()
  end
  if vim.v.vim_did_enter == 1 then
    vim.schedule(connect)
  else
    vim.api.nvim_create_autocmd("VimEnter", {
      group = vim.api.nvim_create_augroup("copydesk.autostart", {}),
      desc = "Copydesk connects",
      once = true,
      callback = vim.schedule_wrap(connect),
    })
  end
end

--- The errors in the options given to `setup`, one line each.
---@return string[]
function M.problems()
  return vim.list_slice(problems)
end

--- Sends a prompt.
---@param text string
---@param options? copydesk.AskOptions
function M.ask(text, options)
  options = options or {}
  require("copydesk.highlight").define()
  local window = vim.api.nvim_get_current_win()
  if options.show ~= false then
    require("copydesk.chat").open()
    vim.api.nvim_set_current_win(window)
  end
  require("copydesk.prompt").send(text, {
    context = options.context,
    steer = options.steer,
    origin = window,
    done = options.done,
  })
end

--- Shows the conversation.
function M.open()
  require("copydesk.chat").open()
end

--- Hides the conversation.
function M.close()
  require("copydesk.chat").close()
end

--- Shows the conversation, or hides it.
function M.toggle()
  require("copydesk.chat").toggle()
end

--- Shows the conversation with the cursor in the prompt.
---@param text? string Put into the prompt.
function M.input(text)
  require("copydesk.chat").input(text)
end

--- Ends the running turn.
function M.stop()
  require("copydesk.command").run({ "stop" })
end

--- Begins a new session.
function M.new()
  require("copydesk.command").run({ "new" })
end

--- Adds to the next prompt: files by path, or `%`, `selection`, `diagnostics`, `quickfix`, `clear`.
---@param ... string
function M.add(...)
  require("copydesk.command").run({ "add", ... })
end

--- The current status. Loads nothing before the first use.
---@return copydesk.Status
function M.status()
  if not package.loaded["copydesk.client"] then
    return { connection = "off", running = false, waiting = 0, undecided = 0, added = {} }
  end
  local connection, problem = require("copydesk.client").status()
  local view = require("copydesk.session").current()
  local status = {
    connection = connection,
    problem = problem,
    running = view ~= nil and view.running ~= nil,
    waiting = #require("copydesk.ask").list(),
    undecided = (require("copydesk.review").count()),
    added = require("copydesk.context").labels(),
  }
  if view then
    local session = view.session
    status.session, status.title, status.folder = view.id, session.title, session.folder
    status.agent, status.model = session.agent, session.model
    status.seconds = require("copydesk.progress").seconds(view)
  end
  return status
end

--- A short text for a statusline; empty before the first use.
---@return string
function M.statusline()
  if not package.loaded["copydesk.progress"] then
    return ""
  end
  return require("copydesk.progress").statusline()
end

--- Calls `run` on each event of a kind: `TurnStarted`, `TurnEnded`, `Call`, `Ask`, `Review`, `Session` or `Connection`
--- (`:help copydesk-events`).
---@param event string
---@param run fun(data: table)
---@return integer autocommand For `nvim_del_autocmd`.
function M.on(event, run)
  return vim.api.nvim_create_autocmd("User", {
    pattern = "Copydesk" .. event,
    desc = "Copydesk: " .. event,
    callback = function(args)
      run(args.data or {})
    end,
  })
end

return M
