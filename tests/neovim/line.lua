-- The test's connection to Neovim.
--
-- The test sends lines of JSON, each with Lua to run; results and the daemon's messages go back the same way. Code that has
-- to wait uses T.await, and Neovim continues meanwhile.
T = { asks = {}, reply = { reply = "once" } }
vim.o.swapfile = false
vim.o.hidden = true
vim.o.shortmess = "filnxtToOFAcI"

local pipe = assert(vim.uv.new_pipe(false))

function T.send(message)
  pipe:write(vim.json.encode(message) .. "\n")
end

function T.tell(kind, value)
  T.send({ event = kind, value = value })
end

-- Runs `start` with a function that ends the wait, and returns the arguments of that function.
function T.await(start)
  local this = coroutine.running()
  start(function(...)
    local given = { ... }
    vim.schedule(function()
      assert(coroutine.resume(this, unpack(given)))
    end)
  end)
  return coroutine.yield()
end

local function run(line)
  local order = vim.json.decode(line)
  local code = assert(loadstring(order.lua))
  coroutine.wrap(function()
    local ok, result = xpcall(code, debug.traceback, unpack(order.args))
    T.send({ id = order.id, ok = ok, result = result == nil and vim.NIL or result })
  end)()
end

local rest = ""
pipe:connect(vim.env.TEST_SOCKET, function(problem)
  assert(not problem, problem)
  pipe:read_start(function(_, chunk)
    if not chunk then
      vim.schedule(function() vim.cmd("qall!") end)
      return
    end
    rest = rest .. chunk
    while true do
      local line, after = rest:match("^([^\n]*)\n(.*)$")
      if not line then return end
      rest = after
      vim.schedule(function() run(line) end)
    end
  end)
end)
