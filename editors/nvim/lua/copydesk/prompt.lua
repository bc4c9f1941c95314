--- Sending what the person wrote.
---
--- Contract: a prompt is never lost: what could not be sent is told, and is the newest in the history. What was added with
--- `:Copydesk add` goes with the next prompt, once.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods

local M = {}

---@class copydesk.SendOptions
---@field context? copydesk.ContextItem[] What the person pointed at, besides what the text mentions and what was added.
---@field steer? boolean Into the running turn, instead of after it.
---@field origin? integer The window that `@buffer` and `@selection` are about.
---@field done? fun(problem?: string)

--- Sends a prompt to the current session; one is made where there is none.
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
  -- The desk would not understand the message, and so could not even answer it.
  if not pcall(vim.fn.json_encode, { text, gathered.items }) then
    return failed("it has bytes that are not UTF-8")
  end
  require("copydesk.session").ensure(function(problem, view)
    if not view then
      return failed(problem)
    end
    local method = options.steer and methods.turnSteer or methods.turnStart
    local params = { session = view.id, text = text, context = gathered.items, files = gathered.files }
    client.request(method, params, function(refused, result)
      if not result then
        return failed(refused)
      end
      context.clear()
      if result.queued or result.joined then
        require("copydesk.session").waits(view, result.prompt, text)
      end
      done()
    end)
  end)
end

return M
