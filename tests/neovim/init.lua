-- Neovim as a test drives it: its stock LSP client and nothing of ours, and a line to the test.
--
-- The test sends lines of JSON, each with Lua to run; the answer and whatever the desk tells go back the same way. Code that
-- has to wait does so with T.await, and Neovim goes on meanwhile.
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

-- Runs `start` with a function that ends the waiting, and returns what that was given.
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

-- The stock handler, and what a person does just before and just after it, where a test says so.
local function apply(problem, params, context)
  if T.before then T.before(params) end
  local answer = vim.lsp.handlers["workspace/applyEdit"](problem, params, context)
  if T.after then T.after(params) end
  return answer
end

local function ask(_, params)
  T.tell("ask", params)
  if T.reply then return T.reply end
  local this = coroutine.running()
  T.asks[params.ask] = this
  return coroutine.yield()
end

-- Starts the client, once; every buffer of a file is attached to it.
function T.start(debounce)
  if vim.fn.has("nvim-0.11") == 1 then
    T.client = assert(vim.lsp.start(T.config(debounce), { attach = false }))
  else
    T.client = assert(vim.lsp.start_client(T.config(debounce)))
  end
  assert(vim.wait(30000, function() return vim.lsp.get_client_by_id(T.client).initialized end, 1))
end

function T.config(debounce)
  local tells = {}
  for _, name in ipairs({ "event", "permission/settled", "document/changed", "restarted" }) do
    tells["copydesk/" .. name] = function(_, params) T.tell(name, params) end
  end
  return {
    name = "copydesk",
    cmd = { vim.env.COPYDESK, "lsp" },
    root_dir = vim.uv.cwd(),
    init_options = { copydesk = { protocol = 1, client = "test", version = "0" } },
    flags = { debounce_text_changes = debounce },
    handlers = vim.tbl_extend("error", tells, {
      ["workspace/applyEdit"] = apply,
      ["copydesk/permission/ask"] = ask,
      ["window/showMessage"] = function(_, params) T.tell("message", params) end,
    }),
  }
end

-- Opens a file as a person would, and lets the desk see it.
function T.open(path)
  vim.cmd.edit({ args = { vim.fn.fnameescape(path) }, mods = { silent = true } })
  return T.attach()
end

function T.attach()
  local buffer = vim.api.nvim_get_current_buf()
  assert(vim.lsp.buf_attach_client(buffer, T.client))
  return buffer
end

-- Asks the desk. Whatever was typed in the buffer is told before.
function T.request(method, params, buffer)
  local client = vim.lsp.get_client_by_id(T.client)
  local problem, result = T.await(function(done)
    local handler = function(problem, result) done(problem, result) end
    if vim.fn.has("nvim-0.11") == 1 then
      assert(client:request(method, params, handler, buffer or 0))
    else
      assert(client.request(method, params, handler, buffer or 0))
    end
  end)
  if problem then error(vim.inspect(problem)) end
  return result
end

-- The text as it is on the disk when the buffer is written.
function T.text(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local ending = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[buffer].fileformat]
  return table.concat(lines, ending) .. (vim.bo[buffer].endofline and ending or "")
end
