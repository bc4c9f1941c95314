--- Waiting without holding the editor up: a coroutine yields until somebody calls back.
---
--- Contract: the coroutine goes on at Neovim's main loop, where every function may be called. A second call of `done` is
--- passed over.

local M = {}

--- Runs `start` with a function that ends the waiting, and returns what that function was given.
---@param start fun(done: fun(...: any))
---@return any ...
function M.await(start)
  local this = assert(coroutine.running(), "only a coroutine can wait")
  local is_done = false
  start(function(...)
    if is_done then
      return
    end
    is_done = true
    local count, given = select("#", ...), { ... }
    vim.schedule(function()
      local went, problem = coroutine.resume(this, unpack(given, 1, count))
      if not went then
        require("copydesk.message").broken(problem, debug.traceback(this))
      end
    end)
  end)
  return coroutine.yield()
end

--- Runs a function that may wait. What goes wrong in it is told in one line.
---@param run fun()
function M.run(run)
  local this = coroutine.create(run)
  local went, problem = coroutine.resume(this)
  if not went then
    require("copydesk.message").broken(problem, debug.traceback(this))
  end
end

return M
