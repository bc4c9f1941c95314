--- Waiting without blocking the editor: a coroutine yields until a callback resumes it.
---
--- Contract: the coroutine resumes on Neovim's main loop, where every API function is allowed. A second call of `done` does
--- nothing.

local M = {}

--- Calls `start` with a function that ends the wait, and returns the arguments given to that function.
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
      local ok, problem = coroutine.resume(this, unpack(given, 1, count))
      if not ok then
        require("copydesk.message").broken(problem, debug.traceback(this))
      end
    end)
  end)
  return coroutine.yield()
end

--- Runs a function that may wait. An error in it is reported in one line.
---@param run fun()
function M.run(run)
  local this = coroutine.create(run)
  local ok, problem = coroutine.resume(this)
  if not ok then
    require("copydesk.message").broken(problem, debug.traceback(this))
  end
end

return M
