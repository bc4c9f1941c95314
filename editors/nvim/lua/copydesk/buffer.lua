--- Which buffers are documents, their URIs, and their versions.
---
--- Contract: nothing here creates, loads, lists or shows a buffer. A document is a loaded, listed buffer with a text of its
--- own (`buftype` is empty), named or unnamed.

local M = {}

--- Whether a buffer is a document for the daemon.
---@param bufnr integer
---@return boolean
function M.is_document(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buflisted and vim.bo[bufnr].buftype == ""
end

--- The URI of a buffer.
---@param bufnr integer
---@return string
function M.uri(bufnr)
  if vim.api.nvim_buf_get_name(bufnr) == "" then
    return require("copydesk.sync").untitled_uri(bufnr)
  end
  return vim.uri_from_bufnr(bufnr)
end

--- The display name of a document: relative to the working folder or the home folder.
---@param uri string
---@return string
function M.shown(uri)
  return vim.startswith(uri, "file:") and vim.fn.fnamemodify(vim.uri_to_fname(uri), ":~:.") or uri
end

--- Returns a function that finds the buffer of a URI among the current ones. Several names may lead to one file: the exact
--- name wins, then a loaded buffer.
---@return fun(uri: string): integer?
function M.finder()
  local buffers = vim.api.nvim_list_bufs()
  local by_name = {} ---@type table<string, integer>
  for _, bufnr in ipairs(buffers) do
    local name = vim.api.nvim_buf_get_name(bufnr)
    by_name[name] = by_name[name] or bufnr
  end
  local by_file ---@type table<string, integer>?
  local function files()
    local found = {} ---@type table<string, integer>
    for _, bufnr in ipairs(buffers) do
      local name = vim.api.nvim_buf_get_name(bufnr)
      local real = name ~= "" and vim.bo[bufnr].buftype == "" and vim.uv.fs_realpath(name)
      local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
      if real and (not found[real] or is_loaded and not vim.api.nvim_buf_is_loaded(found[real])) then
        found[real] = bufnr
      end
    end
    return found
  end
  return function(uri)
    local untitled = require("copydesk.sync").untitled_buffer(uri)
    local is_name, name = pcall(vim.uri_to_fname, uri)
    if untitled or not is_name or name == "" then
      return untitled
    elseif by_name[name] then
      return by_name[name]
    end
    local real = vim.uv.fs_realpath(name)
    by_file = by_file or real and files()
    return real and by_file[real] or nil
  end
end

--- The buffer of a URI, if there is one.
---@param uri string
---@return integer?
function M.of(uri)
  return M.finder()(uri)
end

--- The line end of a buffer's text, and what follows its last line.
---@param bufnr integer
---@return string line_end
---@return string last_end
function M.ends(bufnr)
  local line_end = ({ dos = "\r\n", mac = "\r" })[vim.bo[bufnr].fileformat] or "\n"
  return line_end, vim.bo[bufnr].endofline and line_end or ""
end

--- Longer texts are compared by their length alone: to hash one would hold up the editor.
local MAX_HASHED_BYTES = 512 * 1024

--- Identifies the text of a buffer, as the daemon should have it.
---@param bufnr integer
---@return { bytes: integer, sha256?: string }
function M.digest(bufnr)
  local line_end, last_end = M.ends(bufnr)
  local count = vim.api.nvim_buf_line_count(bufnr)
  local last = vim.api.nvim_buf_get_lines(bufnr, count - 1, count, true)[1]
  -- Neovim counts one byte for each line end.
  local bytes = vim.api.nvim_buf_get_offset(bufnr, count - 1) + (count - 1) * (#line_end - 1) + #last + #last_end
  if bytes > MAX_HASHED_BYTES then
    return { bytes = bytes }
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), line_end) .. last_end
  -- Neovim 0.10 cannot hash a text with a NUL.
  local is_hashed, hash = pcall(vim.fn.sha256, text)
  return { bytes = #text, sha256 = is_hashed and hash or nil }
end

--- The version of the current text, whether or not the daemon has it yet; nil if the daemon does not have the buffer.
---@param bufnr integer
---@return integer?
function M.version(bufnr)
  return require("copydesk.sync").version(bufnr)
end

return M
