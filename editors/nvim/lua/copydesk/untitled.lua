--- Syncs buffers without a name to the daemon. vim.lsp would give them all the URI `file://`, so the plugin does it itself.
---
--- Contract: each has one URI while it has no name. Changes are sent as whole lines: Neovim reports which lines changed, so no
--- character offsets are needed. A buffer that gets a name is closed here and synced by vim.lsp from then on.

local limits = require("copydesk.time_limits")

local M = {}

--- A document, and how it differs from the daemon's copy.
---@class copydesk.Untitled
---@field uri string
---@field client vim.lsp.Client
---@field version integer The version of the current text. Counted here: line ends change without a tick.
---@field sent_version integer The daemon's version.
---@field sent_count integer The daemon's number of lines.
---@field sent_ends string The daemon's line ends, and whether the last line has one.
---@field ends string The same for the buffer, as last seen.
---@field count integer The buffer's number of lines.
---@field head integer How many lines at the beginning are unchanged.
---@field tail integer How many lines at the end are unchanged.

---@type table<integer, copydesk.Untitled>
local documents = {}

---@param document copydesk.Untitled
---@param method string
---@param params table
local function notify(document, method, params)
  if vim.fn.has("nvim-0.11") == 1 then
    document.client:notify(method, params)
  else
    document.client.notify(method, params)
  end
end

---@param bufnr integer
---@return string line_end
---@return boolean has_last
---@return string both
local function ends_of(bufnr)
  local line_end = ({ dos = "\r\n", mac = "\r" })[vim.bo[bufnr].fileformat] or "\n"
  local has_last = vim.bo[bufnr].endofline
  return line_end, has_last, line_end .. tostring(has_last)
end

---@param bufnr integer
---@param first integer
---@param last integer
---@return string
local function text_of(bufnr, first, last)
  local line_end, has_last = ends_of(bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, first, last, true)
  local is_open = last == vim.api.nvim_buf_line_count(bufnr) and not has_last
  return table.concat(lines, line_end) .. (#lines > 0 and not is_open and line_end or "")
end

--- Marks the current text as sent.
---@param bufnr integer
---@param document copydesk.Untitled
local function mark_sent(bufnr, document)
  local count = vim.api.nvim_buf_line_count(bufnr)
  document.sent_version = document.version
  document.sent_ends, document.ends = select(3, ends_of(bufnr)), select(3, ends_of(bufnr))
  document.sent_count, document.count, document.head, document.tail = count, count, count, count
end

--- Whether it is still an unnamed document.
---@param bufnr integer
---@return boolean
local function is_untitled(bufnr)
  return vim.api.nvim_buf_is_valid(bufnr)
    and vim.api.nvim_buf_get_name(bufnr) == ""
    and require("copydesk.buffer").is_document(bufnr)
end

--- Closes a document of a buffer without a name.
---@param bufnr integer
function M.close(bufnr)
  local document = documents[bufnr]
  documents[bufnr] = nil
  if document then
    notify(document, "textDocument/didClose", { textDocument = { uri = document.uri } })
  end
end

--- Closes a document that is no longer unnamed, and hands it to vim.lsp if it has a name.
---@param bufnr integer
---@return boolean is_open
local function close_if_named(bufnr)
  local document = documents[bufnr]
  if not document then
    return false
  elseif is_untitled(bufnr) then
    local _, _, ends = ends_of(bufnr)
    if document.ends ~= ends then
      document.ends, document.version = ends, document.version + 1
    end
    return true
  end
  M.close(bufnr)
  if vim.api.nvim_buf_is_valid(bufnr) and not document.client.is_stopped(document.client) then
    require("copydesk.attach").one(document.client, bufnr)
  end
  return false
end

---@param bufnr integer
local function flush(bufnr)
  local document = documents[bufnr]
  if not close_if_named(bufnr) or document.sent_version == document.version then
    return
  end
  local _, has_last = ends_of(bufnr)
  local change ---@type lsp.TextDocumentContentChangeEvent
  if document.sent_ends ~= document.ends or document.tail == 0 and not has_last then
    change = { text = text_of(bufnr, 0, document.count) }
  else
    local start = { line = document.head, character = 0 }
    local stop = { line = document.sent_count - document.tail, character = 0 }
    change = {
      range = { start = start, ["end"] = stop },
      text = text_of(bufnr, document.head, document.count - document.tail),
    }
  end
  notify(document, "textDocument/didChange", {
    textDocument = { uri = document.uri, version = document.version },
    contentChanges = { change },
  })
  mark_sent(bufnr, document)
end

--- Tracks the changes of a buffer.
---@param bufnr integer
---@param document copydesk.Untitled
local function follow(bufnr, document)
  local function gather()
    if document.sent_version == document.version then
      vim.defer_fn(function()
        if documents[bufnr] == document then
          flush(bufnr)
        end
      end, limits.change_debounce)
    end
    document.version = document.version + 1
  end
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, last)
      if documents[bufnr] ~= document then
        return true
      end
      gather()
      document.head = math.min(document.head, first)
      document.tail = math.min(document.tail, document.count - last)
      document.count = vim.api.nvim_buf_line_count(bufnr)
      -- Deleting all lines leaves an empty one.
      document.head = math.min(document.head, document.count - document.tail)
    end,
    on_reload = function()
      if documents[bufnr] == document then
        gather()
        document.head, document.tail = 0, 0
        document.count = vim.api.nvim_buf_line_count(bufnr)
      end
    end,
    on_detach = function()
      if documents[bufnr] == document then
        M.close(bufnr)
      end
    end,
  })
end

--- Detects that a buffer gets a name. `:write NAME` gives one without `BufFilePost`.
local function watch()
  local events = { "BufFilePost", "BufAdd", "BufWritePost", "BufReadPost", "BufNewFile" }
  vim.api.nvim_create_autocmd(events, {
    group = vim.api.nvim_create_augroup("copydesk.untitled", {}),
    desc = "Copydesk checks whether the buffer has a name",
    callback = function(event)
      close_if_named(event.buf)
    end,
  })
end

--- The URI of a buffer without a name.
---@param bufnr integer
---@return string
function M.uri(bufnr)
  return "untitled:Untitled-" .. bufnr
end

--- The buffer of such a URI.
---@param uri string
---@return integer?
function M.of(uri)
  local bufnr = tonumber(uri:match("^untitled:Untitled%-(%d+)$"))
  return bufnr and is_untitled(bufnr) and bufnr or nil
end

--- The version of the current text; nil if the buffer is not synced here.
---@param bufnr integer
---@return integer?
function M.version(bufnr)
  return close_if_named(bufnr) and documents[bufnr].version or nil
end

--- Opens a buffer for the daemon.
---@param client vim.lsp.Client
---@param bufnr integer
function M.attach(client, bufnr)
  local known = documents[bufnr]
  if not is_untitled(bufnr) or known and known.client.id == client.id then
    return
  end
  local document = { uri = M.uri(bufnr), client = client, version = 1 }
  documents[bufnr] = document
  mark_sent(bufnr, document)
  notify(document, "textDocument/didOpen", {
    textDocument = {
      uri = document.uri,
      languageId = vim.bo[bufnr].filetype,
      version = document.version,
      text = text_of(bufnr, 0, document.count),
    },
  })
  follow(bufnr, document)
  watch()
end

--- Closes all documents of a client.
---@param client vim.lsp.Client
function M.detach_all(client)
  for bufnr, document in pairs(documents) do
    if document.client.id == client.id then
      M.close(bufnr)
    end
  end
end

--- Sends pending changes, of one buffer or of all.
---@param bufnr? integer
function M.flush(bufnr)
  for _, one in ipairs(bufnr and { bufnr } or vim.tbl_keys(documents)) do
    flush(one)
  end
end

return M
