--- Syncs buffers to the daemon: those with a name and those without.
---
--- The plugin does this itself. vim.lsp compares the whole text at every change, which stops the editor for a second if a line
--- is long; it counts versions differently in each Neovim; and it gives all buffers without a name the URI `file://`.
---
--- Contract: a document is one buffer under one URI. Its version is the changedtick of its last change. Changes are sent as
--- whole lines, because Neovim reports which lines changed; of a long line only the changed part is sent. Whatever else the
--- plugin sends, pending changes are sent first.

local buffer = require("copydesk.buffer")
local limits = require("copydesk.time_limits")
local long_line = require("copydesk.sync.long_line")

local M = {}

--- A column behind the end of every line. LSP takes it for the end.
local LINE_END = 2 ^ 31 - 1

--- A document, and how its buffer differs from the daemon's copy.
---@class copydesk.SyncedDocument
---@field uri string
---@field client vim.lsp.Client
---@field version integer The version of the current text.
---@field is_changed boolean The daemon does not have the current text.
---@field is_reloaded? boolean It was read again from the disk since then.
---@field sent_count integer The daemon's number of lines.
---@field sent_ends string The daemon's line ends, and whether the last line has one.
---@field sent_long table<integer, string> The daemon's long lines, by row.
---@field count integer The buffer's number of lines.
---@field head integer How many lines at the beginning are unchanged.
---@field tail integer How many lines at the end are unchanged.

---@type table<integer, copydesk.SyncedDocument>
local documents = {}

---@param document copydesk.SyncedDocument
---@param method string
---@param params table
local function notify(document, method, params)
  require("copydesk.server").notify(document.client, method, params)
end

--- Its line ends, and whether the last line has one, as one value.
---@param bufnr integer
---@return string
local function ends_of(bufnr)
  return table.concat({ buffer.ends(bufnr) }, " ")
end

--- The text of some lines, with their ends.
---@param bufnr integer
---@param lines string[]
---@param is_to_end boolean The last of them is the buffer's last.
---@return string
local function text_of(bufnr, lines, is_to_end)
  local line_end, last_end = buffer.ends(bufnr)
  return table.concat(lines, line_end) .. (#lines > 0 and (is_to_end and last_end or line_end) or "")
end

--- Marks the current text as sent.
---@param bufnr integer
---@param document copydesk.SyncedDocument
local function mark_sent(bufnr, document)
  local count = vim.api.nvim_buf_line_count(bufnr)
  document.is_changed, document.is_reloaded = false, nil
  document.sent_ends = ends_of(bufnr)
  document.sent_count, document.count, document.head, document.tail = count, count, count, count
end

--- The URI of a buffer without a name.
---@param bufnr integer
---@return string
function M.untitled_uri(bufnr)
  return "untitled:Untitled-" .. bufnr
end

--- The URI under which the daemon should have a buffer now.
---@param bufnr integer
---@return string?
local function uri_of(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  elseif vim.api.nvim_buf_get_name(bufnr) ~= "" then
    return vim.uri_from_bufnr(bufnr)
  end
  return buffer.is_document(bufnr) and M.untitled_uri(bufnr) or nil
end

--- Closes the document of a buffer.
---@param bufnr integer
function M.close(bufnr)
  local document = documents[bufnr]
  documents[bufnr] = nil
  if document then
    notify(document, "textDocument/didClose", { textDocument = { uri = document.uri } })
  end
end

--- Sends the whole text of a buffer as a new document.
---@param bufnr integer
---@param document copydesk.SyncedDocument
local function send_open(bufnr, document)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  document.sent_long = long_line.all(lines)
  mark_sent(bufnr, document)
  notify(document, "textDocument/didOpen", {
    textDocument = {
      uri = document.uri,
      languageId = vim.bo[bufnr].filetype,
      version = document.version,
      text = text_of(bufnr, lines, true),
    },
  })
  require("copydesk.diagnostics.report").synced(bufnr)
end

--- Sends the whole text of a buffer again: closes its document, and opens it.
---@param bufnr integer
function M.reopen(bufnr)
  local document = documents[bufnr]
  if document then
    notify(document, "textDocument/didClose", { textDocument = { uri = document.uri } })
    send_open(bufnr, document)
  end
end

--- Closes the document of a buffer that has another name by now, and opens it under that.
---@param bufnr integer
---@return copydesk.SyncedDocument? document The open one.
local function follow_name(bufnr)
  local document = documents[bufnr]
  if not document or document.uri == uri_of(bufnr) then
    return document
  end
  M.close(bufnr)
  local client = document.client
  if vim.api.nvim_buf_is_loaded(bufnr) and not require("copydesk.server").is_stopped(client) then
    require("copydesk.attach").one(client, bufnr)
  end
  return nil
end

--- The change from the daemon's text to the buffer's.
---@param bufnr integer
---@param document copydesk.SyncedDocument
---@return lsp.TextDocumentContentChangeEvent
local function change_of(bufnr, document)
  local head, tail = document.head, document.tail
  local is_open_end = tail == 0 and not vim.bo[bufnr].endofline
  if is_open_end then
    -- Behind the last line, which has no end, there is no row.
    head = math.min(head, document.sent_count - 1, document.count - 1)
  end
  local lines = vim.api.nvim_buf_get_lines(bufnr, head, document.count - tail, true)
  local last = document.sent_count - tail
  local old = last - head == 1 and #lines == 1 and document.sent_long[head]
  long_line.update(document.sent_long, { first = head, last = last, lines = lines })
  if document.is_reloaded or not old and is_open_end and head == 0 then
    -- A change without a range is not taken for the user's: hunks that are gone were not rejected.
    return { text = text_of(bufnr, lines, true) }
  elseif old then
    return long_line.change(old, lines[1], head, document.client.offset_encoding)
  end
  local stop = is_open_end and { line = last - 1, character = LINE_END } or { line = last, character = 0 }
  return {
    range = { start = { line = head, character = 0 }, ["end"] = stop },
    text = text_of(bufnr, lines, tail == 0),
  }
end

---@param bufnr integer
local function flush(bufnr)
  local document = follow_name(bufnr)
  if not document then
    return
  elseif document.sent_ends ~= ends_of(bufnr) then
    -- All lines have changed, and Neovim reports none.
    M.reopen(bufnr)
  elseif document.is_changed then
    local change = change_of(bufnr, document)
    mark_sent(bufnr, document)
    notify(document, "textDocument/didChange", {
      textDocument = { uri = document.uri, version = document.version },
      contentChanges = { change },
    })
  end
end

--- Gathers the changes of a buffer.
---@param bufnr integer
---@param document copydesk.SyncedDocument
local function follow(bufnr, document)
  ---@param version integer
  local function gather(version)
    if not document.is_changed then
      vim.defer_fn(function()
        if documents[bufnr] == document then
          flush(bufnr)
        end
      end, limits.change_debounce)
    end
    document.is_changed, document.version = true, version
  end
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, tick, first, last)
      if documents[bufnr] ~= document then
        return true
      end
      gather(tick)
      document.head = math.min(document.head, first)
      document.tail = math.min(document.tail, document.count - last)
      document.count = vim.api.nvim_buf_line_count(bufnr)
      -- Deleting all lines leaves an empty one.
      document.head = math.min(document.head, document.count - document.tail)
    end,
    on_reload = function()
      if documents[bufnr] == document then
        gather(vim.api.nvim_buf_get_changedtick(bufnr))
        document.head, document.tail, document.is_reloaded = 0, 0, true
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

--- The buffer without a name that has a URI.
---@param uri string
---@return integer?
function M.untitled_buffer(uri)
  local bufnr = tonumber(uri:match("^untitled:Untitled%-(%d+)$"))
  return bufnr and vim.api.nvim_buf_is_valid(bufnr) and uri_of(bufnr) == uri and bufnr or nil
end

--- The version of the current text, whether or not the daemon has it yet; nil if the daemon does not have the buffer.
---@param bufnr integer
---@return integer?
function M.version(bufnr)
  local document = follow_name(bufnr)
  return document and document.version
end

--- Opens a buffer for the daemon.
---@param client vim.lsp.Client
---@param bufnr integer
function M.open(client, bufnr)
  local known, uri = documents[bufnr], uri_of(bufnr)
  if not uri or known and known.client.id == client.id and known.uri == uri then
    return
  end
  M.close(bufnr)
  local document = { uri = uri, client = client, version = vim.api.nvim_buf_get_changedtick(bufnr) }
  documents[bufnr] = document
  send_open(bufnr, document)
  follow(bufnr, document)
end

--- Tells the daemon that the user has written a buffer to its own file.
---@param bufnr integer
function M.saved(bufnr)
  flush(bufnr)
  local document = documents[bufnr]
  if document then
    notify(document, "textDocument/didSave", { textDocument = { uri = document.uri } })
  end
end

--- Forgets all documents of a connection; the daemon hears of it if it still listens.
---@param client vim.lsp.Client
function M.close_all(client)
  for bufnr, document in pairs(documents) do
    if document.client.id == client.id then
      M.close(bufnr)
    end
  end
end

--- The buffers that the daemon has.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(documents)
end

--- Sends pending changes, of one buffer or of all.
---@param bufnr? integer
function M.flush(bufnr)
  for _, one in ipairs(bufnr and { bufnr } or vim.tbl_keys(documents)) do
    flush(one)
  end
end

return M
