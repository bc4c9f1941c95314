--- Tells waiting code that something has happened with the language servers.

local M = {}

local listeners = {} ---@type table<fun(), true>

---@return number milliseconds
function M.now()
  return vim.uv.hrtime() / 1e6
end

--- Has a function called, on the main loop, whenever something happens.
---@param listener fun()
---@return fun() stop
function M.listen(listener)
  listeners[listener] = true
  return function()
    listeners[listener] = nil
  end
end

--- Calls them.
function M.emit()
  for _, listener in ipairs(vim.tbl_keys(listeners)) do
    if listeners[listener] then
      listener()
    end
  end
end

--- Waits until a condition holds, or the deadline. Call it in a coroutine.
---@param deadline number
---@param holds fun(): boolean
---@return boolean
function M.wait(deadline, holds)
  if holds() or deadline <= M.now() then
    return holds()
  end
  local timer = assert(vim.uv.new_timer())
  local stop
  require("copydesk.await").await(function(done)
    timer:start(math.max(1, math.ceil(deadline - M.now())), 0, done)
    stop = M.listen(function()
      if holds() then
        done()
      end
    end)
  end)
  stop()
  timer:stop()
  timer:close()
  return holds()
end

return M
