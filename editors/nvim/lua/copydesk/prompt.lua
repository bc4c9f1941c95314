--- Sends the user's prompts.
---
--- Contract: no prompt is lost: a failure is reported, and the prompt is the newest in the history. Context added with
--- `:Copydesk add` goes with the next prompt, once.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods

local M = {}

---@class copydesk.SendOptions
---@field context? copydesk.ContextItem[] Context besides the prompt's mentions and the items added before.
---@field steer? boolean Send it into the running turn instead of queueing it.
---@field origin? integer The window that `@buffer` and `@selection` refer to.
---@field done? fun(problem?: string)

--- Sends a prompt to the current session, which is created if needed.
---@param text string
---@param options? copydesk.SendOptions
function M.send(text, options)
  options = options or {}
  local done = options.done or function() end
  if vim.trim(text) == "" then
    return done("the prompt is empty")
  end
  require("copydesk.history").add(text)
  local context = require("copydesk.context")
  local gathered = context.gather(text, { origin = options.origin, more = options.context })
  if gathered.problem then
    message.error(gathered.problem)
    return done(gathered.problem)
  end
  local function failed(problem)
    message.error(("the prompt was not sent: %s"):format(problem))
    done(problem)
  end
  -- The daemon could not parse the message, and so not even respond.
  if not pcall(vim.fn.json_encode, { text, gathered.items }) then
    return failed("it contains bytes that are not UTF-8")
  end
  local function send_to(view)
    local method = options.steer and methods.turnSteer or methods.turnStart
    local params = { session = view.id, text = text, context = gathered.items, files = gathered.files }
    params.contextOf = gathered.context_of
    view.starting = true
    client.request(method, params, function(refused, result)
      if not result or result.queued or result.joined then
        view.starting = nil
      end
      if not result then
        return failed(refused)
      end
      context.clear()
      if result.queued or result.joined then
        require("copydesk.session").add_queued(view, result.prompt, text)
      end
      done()
    end)
  end
  require("copydesk.session").ensure(function(problem, view)
    if not view then
      return failed(problem)
    end
    require("copydesk.trust").ask_if_new(view, function()
      send_to(view)
    end)
  end)
end

return M
