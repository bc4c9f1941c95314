-- Neovim's stock LSP client, without our plugin. Loaded after `line.lua`.
-- The stock handler, and what the user does just before and after it, if a test says so.
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

-- Writes a file as the user does, and reports whether that succeeded.
T.asked = 0
local function save(_, params)
  T.asked = T.asked + 1
  local write = function() vim.cmd("silent write") end
  local ok, problem = pcall(vim.api.nvim_buf_call, vim.uri_to_bufnr(params.uri), write)
  return ok and { saved = true } or { saved = false, message = problem }
end

-- Reloads a buffer without changes of its own.
local function changed(_, params)
  local buffer = vim.fn.bufnr(vim.uri_to_fname(params.uri))
  if buffer ~= -1 and not vim.bo[buffer].modified then vim.cmd("silent checktime " .. buffer) end
  T.tell("document/changed", params)
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
  for _, name in ipairs({ "event", "permission/settled", "restarted" }) do
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
      ["copydesk/document/changed"] = changed,
      ["copydesk/document/save"] = save,
      ["window/showMessage"] = function(_, params) T.tell("message", params) end,
    }),
  }
end

-- Opens a file as the user would, and waits until the daemon has it.
function T.open(path)
  vim.cmd.edit({ args = { vim.fn.fnameescape(path) }, mods = { silent = true } })
  return T.attach()
end

function T.attach()
  local buffer = vim.api.nvim_get_current_buf()
  assert(vim.lsp.buf_attach_client(buffer, T.client))
  return buffer
end

-- Sends a request to the daemon. Pending changes of the buffer are sent first.
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

-- The text as it would be on disk if the buffer were written.
function T.text(buffer)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local ending = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[buffer].fileformat]
  return table.concat(lines, ending) .. (vim.bo[buffer].endofline and ending or "")
end
