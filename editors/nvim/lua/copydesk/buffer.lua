--- Which buffers are documents, what the desk calls them, and at which version they are.
---
--- Contract: nothing here makes, loads, lists or shows a buffer. A document is a loaded, listed buffer with a
--- text of its own (`buftype` is empty), with a name or without.

local M = {}

--- vim.lsp counts versions by buffer, not by client, and Neovim 0.10 begins anew at 0 for all of them when
--- one more client attaches. So we remember what was told: the tick of the last change, and the name under
--- which it was.
---@type table<integer, { name: string, version: integer }>
local followed = {}

--- Whether the desk should see a buffer.
---@param bufnr integer
---@return boolean
function M.is_document(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr) and vim.bo[bufnr].buflisted and vim.bo[bufnr].buftype == ""
end

--- What the desk calls a buffer.
---@param bufnr integer
---@return string
function M.uri(bufnr)
  if vim.api.nvim_buf_get_name(bufnr) == "" then
    return require("copydesk.untitled").uri(bufnr)
  end
  return vim.uri_from_bufnr(bufnr)
end

--- For people: the name of a document, as short as it is clear.
---@param uri string
---@return string
function M.shown(uri)
  return vim.startswith(uri, "file:") and vim.fn.fnamemodify(vim.uri_to_fname(uri), ":~:.") or uri
end

--- A function that finds the buffers of documents among those that there are now. Several may be names of one file: the exact name
--- comes first, then a loaded one.
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
    local untitled = require("copydesk.untitled").of(uri)
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

--- The buffer of a document, if there is one.
---@param uri string
---@return integer?
function M.of(uri)
  return M.finder()(uri)
end

--- Looks at the versions of a buffer from now on. To be called when vim.lsp has told the desk of it.
---@param bufnr integer
function M.follow(bufnr)
  local is_followed = followed[bufnr] ~= nil
  local name = vim.api.nvim_buf_get_name(bufnr)
  if is_followed and followed[bufnr].name == name then
    return
  end
  followed[bufnr] = { name = name, version = vim.lsp.util.buf_versions[bufnr] or 0 }
  if is_followed then
    return
  end
  local function forget()
    followed[bufnr] = nil
  end
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, tick)
      local known = followed[bufnr]
      if not known then
        return true
      end
      known.version = tick
    end,
    -- vim.lsp opens it anew, and counts anew.
    on_reload = function()
      if followed[bufnr] then
        followed[bufnr].version = 0
      end
    end,
    on_detach = forget,
  })
end

--- The version of the text as it is now, whether the desk has been told of it or is about to be; nothing
--- where no client has the buffer open.
---@param bufnr integer
---@return integer?
function M.version(bufnr)
  local untitled = require("copydesk.untitled").version(bufnr)
  if untitled then
    return untitled
  elseif #vim.lsp.get_clients({ bufnr = bufnr }) == 0 then
    return nil
  end
  local version, known = vim.lsp.util.buf_versions[bufnr] or 0, followed[bufnr]
  if version == 0 and known and known.name == vim.api.nvim_buf_get_name(bufnr) then
    return known.version
  end
  return version
end

return M
