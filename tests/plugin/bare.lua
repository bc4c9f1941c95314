-- Neovim with modules of the plugin, and a mock daemon in Lua that keeps the documents as they are sent, to compare
-- them with the buffers. Loaded after `line.lua`.
vim.opt.runtimepath:prepend(vim.env.TEST_PLUGIN)
vim.o.columns = 100
vim.o.lines = 30

S = { documents = {}, said = {} }
vim.notify = function(text) S.said[#S.said + 1] = text end

-- The characters of a text, from a byte on.
local function utf8_codes(text, from)
  local at = from
  return function()
    if at > #text then return nil end
    local first = text:byte(at)
    local size = first < 0x80 and 1 or first < 0xe0 and 2 or first < 0xf0 and 3 or 4
    local code = text:sub(at, at + size - 1)
    at = at + size
    return at - size, code
  end
end

-- The byte, from 1, at a position of a text whose lines end with \n, or with \r if it has no \n.
local function byte_at(text, place, encoding)
  local line_end = text:find("\r", 1, true) and not text:find("\n", 1, true) and "\r" or "\n"
  local at = 1
  for _ = 1, place.line do
    at = (text:find(line_end, at, true) or error("a line too far: " .. place.line)) + 1
  end
  local line_stop = text:find(line_end, at, true) or #text + 1
  if encoding == "utf-8" then return math.min(at + place.character, line_stop) end
  local left = place.character
  for _, codepoint in utf8_codes(text, at) do
    if left <= 0 then break end
    left = left - ((encoding == "utf-16" and #codepoint == 4) and 2 or 1)
    at = at + #codepoint
  end
  return at
end

local function told(method, params, encoding)
  local document = params.textDocument
  if method == "textDocument/didOpen" then
    S.documents[document.uri] = { version = document.version, text = document.text }
  elseif method == "textDocument/didClose" then
    S.documents[document.uri] = nil
  elseif method == "textDocument/didChange" then
    local known = assert(S.documents[document.uri], "a document that is not open: " .. document.uri)
    assert(document.version > known.version, "a version that is not newer")
    for _, change in ipairs(params.contentChanges) do
      if change.range then
        local from = byte_at(known.text, change.range.start, encoding)
        local to = byte_at(known.text, change.range["end"], encoding)
        known.text = known.text:sub(1, from - 1) .. change.text .. known.text:sub(to)
      else
        known.text = change.text
      end
    end
    known.version = document.version
  end
end

-- Connects. `S.client` is the client that the plugin's handlers get.
function S.start(encoding)
  local function server()
    return {
      request = function(method, _, done)
        local sync = { openClose = true, change = 2 }
        local capabilities = { positionEncoding = encoding, textDocumentSync = sync }
        done(nil, method == "initialize" and { capabilities = capabilities } or vim.empty_dict())
        return true, 1
      end,
      notify = function(method, params)
        if params and params.textDocument then told(method, params, encoding) end
        return true
      end,
      is_closing = function() return false end,
      terminate = function() end,
    }
  end
  -- Neovim treats a client of the same name as the same.
  local config = { name = "copydesk, " .. encoding, cmd = server, root_dir = vim.uv.cwd() }
  local is_new = vim.fn.has("nvim-0.11") == 1
  local id = is_new and vim.lsp.start(config, { attach = false }) or vim.lsp.start_client(config)
  S.client = assert(vim.lsp.get_client_by_id(id))
  assert(vim.wait(10000, function() return S.client.initialized end, 1))
  require("copydesk.client").get = function() return S.client end
end

-- Attaches the mock daemon to a buffer.
function S.attach(bufnr)
  require("copydesk.attach").one(S.client, bufnr)
  return bufnr
end

-- A new buffer with a name and these lines, in the current window, with nothing to undo.
function S.open(name, lines)
  vim.cmd.edit({ args = { vim.fn.fnameescape(name) }, bang = true, mods = { silent = true } })
  local bufnr = vim.api.nvim_get_current_buf()
  local levels = vim.go.undolevels
  vim.bo.undolevels = -1
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  vim.bo.undolevels = levels
  vim.bo.modified = false
  return S.attach(bufnr)
end

function S.lines(bufnr) return vim.api.nvim_buf_get_lines(bufnr or 0, 0, -1, true) end

-- An LSP edit: { row, character, row, character, text }.
function S.edit(edit)
  local start = { line = edit[1], character = edit[2] }
  local stop = { line = edit[3], character = edit[4] }
  return { range = { start = start, ["end"] = stop }, newText = edit[5] }
end

-- The daemon's request: the edits of each buffer, for its current version.
function S.params(edits)
  local changes = {}
  for bufnr, list in pairs(edits) do
    local buffer = require("copydesk.buffer")
    local document = { uri = buffer.uri(bufnr), version = buffer.version(bufnr) }
    changes[#changes + 1] = { textDocument = document, edits = vim.tbl_map(S.edit, list) }
  end
  return { edit = { documentChanges = changes } }
end

function S.apply(edits)
  return require("copydesk.apply").handle(S.params(edits), S.client)
end

-- The text as the daemon should have it.
function S.text(bufnr)
  local ending = ({ unix = "\n", dos = "\r\n", mac = "\r" })[vim.bo[bufnr].fileformat]
  return table.concat(S.lines(bufnr), ending) .. (vim.bo[bufnr].endofline and ending or "")
end

function S.known(bufnr)
  return S.documents[require("copydesk.buffer").uri(bufnr)].text
end
