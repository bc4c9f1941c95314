--- Lets a buffer follow its file: one that the agent moves or deletes.
---
--- Contract: what the user typed and did not save is never lost. A moved buffer keeps its text, undo history, cursors, marks and folds;
--- language servers see it under its new name. The buffer of a deleted file is closed only if it has the text that the file had; its
--- windows stay. When such a file comes back, so does its buffer.

local buffer = require("copydesk.buffer")

local M = {}

--- A buffer that was closed with its file.
---@class copydesk.ClosedBuffer
---@field cursor integer[]
---@field windows table<integer, {empty: integer, view: table}> The empty buffer that each window shows instead, and its view before.

---@type table<string, copydesk.ClosedBuffer> By the name of the file.
local closed = {}

--- More are forgotten: then a file comes back without its buffer.
local MAX_CLOSED = 200

--- Lets `:write` overwrite the file of a renamed buffer, as it would have overwritten the old one. Neovim asks for `!` there until the
--- buffer is written once; this writes nothing.
---@param bufnr integer
local function mark_edited(bufnr)
  local modified = vim.bo[bufnr].modified
  local writing = vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = bufnr, callback = function() end })
  pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd("silent! keepalt lockmarks write!")
  end)
  vim.api.nvim_del_autocmd(writing)
  vim.bo[bufnr].modified = modified
end

--- Gives a buffer another name. Neovim keeps a buffer of the old name, which is wiped.
---@param bufnr integer
---@param name string
---@return boolean
local function rename_buffer(bufnr, name)
  local old = vim.api.nvim_buf_get_name(bufnr)
  -- `keepalt` keeps the alternate file of the window.
  M.pending = { bufnr, vim.fn.fnamemodify(name, ":.") }
  pcall(vim.cmd, "silent! keepalt lua vim.api.nvim_buf_set_name(unpack(require('copydesk.apply.file_operation').pending))")
  M.pending = nil
  if vim.api.nvim_buf_get_name(bufnr) == old then
    return false
  end
  for _, other in ipairs(vim.api.nvim_list_bufs()) do
    if other ~= bufnr and vim.api.nvim_buf_get_name(other) == old and not vim.api.nvim_buf_is_loaded(other) then
      pcall(vim.api.nvim_buf_delete, other, { force = true })
    end
  end
  mark_edited(bufnr)
  return true
end

--- Sets the filetype that the new name has, unless the user had set another than the old name had.
---@param bufnr integer
---@param old string
local function follow_filetype(bufnr, old)
  local before, now = vim.filetype.match({ filename = old }), vim.filetype.match({ buf = bufnr })
  local own = vim.bo[bufnr].filetype
  if now and now ~= own and (own == "" or own == before) then
    vim.bo[bufnr].filetype = now
  end
end

--- Whether a language server serves a buffer of this filetype.
---@param client vim.lsp.Client
---@param filetype string
---@return boolean
local function serves(client, filetype)
  local filetypes = client.config.filetypes
  return type(filetypes) ~= "table" or vim.list_contains(filetypes, filetype)
end

--- Moves a file and its buffer.
---@param change { oldUri: string, newUri: string }
---@return string? problem
local function rename(change)
  local bufnr = buffer.of(change.oldUri)
  local is_name, name = pcall(vim.uri_to_fname, change.newUri)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not open"
  elseif not is_name or vim.uv.fs_lstat(name) then
    return "there is a file already where it is to be"
  end
  local other = buffer.of(change.newUri)
  if other and other ~= bufnr and vim.api.nvim_buf_is_loaded(other) then
    return "there is a buffer already with its new name"
  end
  local old = vim.api.nvim_buf_get_name(bufnr)
  vim.fn.mkdir(vim.fs.dirname(name), "p")
  local is_moved, problem = vim.uv.fs_rename(old, name)
  if not is_moved then
    return tostring(problem)
  end
  local clients = require("copydesk.server").of(bufnr)
  for _, client in ipairs(clients) do
    vim.lsp.buf_detach_client(bufnr, client.id)
  end
  local is_renamed = rename_buffer(bufnr, name)
  if is_renamed then
    require("copydesk.document").renamed(bufnr)
    follow_filetype(bufnr, old)
  else
    vim.uv.fs_rename(name, old)
  end
  for _, client in ipairs(clients) do
    if not is_renamed or serves(client, vim.bo[bufnr].filetype) then
      vim.lsp.buf_attach_client(bufnr, client.id)
    end
  end
  if not is_renamed then
    return "Neovim does not rename its buffer"
  end
  require("copydesk.server").watched(change.oldUri, "deleted")
  require("copydesk.server").watched(change.newUri, "created")
end

--- Closes the buffer of a file that the daemon deletes next. Its windows show an empty buffer instead.
---@param change { uri: string }
---@param text { bytes?: integer, sha256?: string }
---@return string? problem
local function close(change, text)
  local bufnr = buffer.of(change.uri)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return nil
  elseif M.is_busy(change) then
    return "the user is in the middle of a command there"
  elseif require("copydesk.verify").differs(bufnr, text) then
    return "it has text that is not saved"
  end
  local name, windows = vim.api.nvim_buf_get_name(bufnr), {}
  local cursor = vim.api.nvim_buf_get_mark(bufnr, '"')
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    cursor = vim.api.nvim_win_get_cursor(window)
    local empty = vim.api.nvim_create_buf(true, false)
    vim.api.nvim_win_set_buf(window, empty)
    windows[window] = { empty = empty, view = view }
  end
  vim.api.nvim_buf_delete(bufnr, { force = true })
  if vim.tbl_count(closed) >= MAX_CLOSED then
    closed = {}
  end
  closed[name] = { cursor = cursor, windows = windows }
end

--- Whether the user does something in a buffer that would continue in another one.
---@param change { kind?: string, uri?: string }
---@return boolean
function M.is_busy(change)
  local is_here = change.kind == "delete" and buffer.of(change.uri) == vim.api.nvim_get_current_buf()
  return is_here and vim.api.nvim_get_mode().mode ~= "n"
end

--- Lets a buffer follow its file.
---@param params {edit: lsp.WorkspaceEdit, copydesk?: {texts?: { bytes?: integer, sha256?: string }[]}}
---@return string? problem
function M.run(params)
  local change = params.edit.documentChanges[1]
  local uri = change.oldUri or change.uri
  local problem
  if #params.edit.documentChanges > 1 then
    problem = "a file is moved or deleted by itself"
  elseif change.kind == "rename" then
    problem = rename(change)
  elseif change.kind == "delete" then
    problem = close(change, vim.tbl_get(params, "copydesk", "texts", 1) or {})
  else
    problem = "a file is not created here"
  end
  return problem and ("%s: %s"):format(buffer.shown(uri), problem) or nil
end

--- Opens the buffer of a deleted file again, which has come back.
---@param uri string
function M.reopen(uri)
  local is_name, name = pcall(vim.uri_to_fname, uri)
  local was = is_name and closed[name]
  if not was then
    return
  end
  closed[name] = nil
  local bufnr = vim.fn.bufadd(vim.fn.fnamemodify(name, ":."))
  vim.bo[bufnr].buflisted = true
  require("copydesk.quiet_open").with_swap_answer("e", vim.fn.bufload, bufnr)
  pcall(vim.api.nvim_buf_set_mark, bufnr, '"', was.cursor[1], was.cursor[2], {})
  for window, shown in pairs(was.windows) do
    local is_same = vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == shown.empty
    if is_same and vim.api.nvim_buf_get_changedtick(shown.empty) <= 2 then
      vim.api.nvim_win_set_buf(window, bufnr)
      vim.api.nvim_win_call(window, function()
        vim.fn.winrestview(shown.view)
      end)
      pcall(vim.api.nvim_buf_delete, shown.empty, {})
    end
  end
end

return M
