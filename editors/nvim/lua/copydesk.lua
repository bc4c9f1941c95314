--- Copydesk for Neovim: `setup`, and what other plugins and a person's own Lua may call (`:help copydesk-lua`).
---
--- Contract: everything here returns at once and loads what it needs when it is called; `setup` loads the options alone.
--- Nothing throws; what goes wrong is told in one line.

local M = {}

---@type string[]
local problems = {}

---@class copydesk.Status
---@field connection "off"|"starting"|"ready"|"failed" How the line to the desk is.
---@field problem? string Why it failed.
---@field session? string The id of the session that prompts go to.
---@field title? string Its title.
---@field folder? string The folder it works in.
---@field agent? string The name of its agent.
---@field model? string `PROVIDER/MODEL`, where one was chosen.
---@field running boolean Whether a turn runs in it.
---@field seconds? integer For how long.
---@field waiting integer How many asks and questions wait for the person, in all sessions.
---@field undecided integer How many hunks nobody has decided yet, in all sessions.
---@field added string[] What goes with the next prompt.

---@class copydesk.AskOptions
---@field context? copydesk.ContextItem[] What the prompt is about, besides what it mentions and what was added.
---@field show? boolean Whether the conversation is shown; it is, unless this is `false`.
---@field steer? boolean Into the running turn, instead of after it.
---@field done? fun(problem?: string) Called when the prompt was taken, or with why it was not.

--- Takes the options (`:help copydesk-options`). Need not be called where the defaults are right.
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

--- What is wrong with the options that `setup` was given, a line each.
---@return string[]
function M.problems()
  return vim.list_slice(problems)
end

--- Prompts.
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

--- How things are. Loads nothing before the first use.
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

--- A short text for a statusline: empty before the first use.
---@return string
function M.statusline()
  if not package.loaded["copydesk.progress"] then
    return ""
  end
  return require("copydesk.progress").statusline()
end

--- Hears of an event: `TurnStarted`, `TurnEnded`, `Call`, `Ask`, `Review`, `Session` or `Connection` (`:help copydesk-events`).
---@param event string
---@param run fun(data: table)
---@return integer autocommand For `nvim_del_autocmd`.
function M.on(event, run)
  return vim.api.nvim_create_autocmd("User", {
    pattern = "Copydesk" .. event,
    desc = "Copydesk: " .. event,
    callback = function(told)
      run(told.data or {})
    end,
  })
end

return M
