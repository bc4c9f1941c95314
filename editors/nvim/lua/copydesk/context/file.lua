--- Files, their lines and symbols as context of a prompt.
---
--- Contract: as in `context.piece`; a loaded file is taken from its buffer. Only regular files are read, up to a cap.

local media = require("copydesk.context.media")
local mention = require("copydesk.context.mention")
local piece = require("copydesk.context.piece")

local M = {}

--- How much of a file that is not loaded is read to find lines.
local MAX_READ_BYTES = 16 * 1024 * 1024

---@param path string
---@param length integer
---@return string?
local function head_of(path, length)
  local file = io.open(path, "rb")
  local text = file and file:read(length)
  if file then
    file:close()
  end
  return text
end

--- The lines of a file that is not loaded.
---@param path string
---@param first integer
---@param last integer
---@return copydesk.ContextPiece?
---@return string? problem
local function lines_of_file(path, first, last)
  local lines = vim.split(head_of(path, MAX_READ_BYTES) or "", "\r?\n")
  if lines[#lines] == "" and #lines > 1 then
    lines[#lines] = nil
  end
  if first > #lines then
    return nil, ("`%s` has only %d lines; there is no line %d"):format(piece.shown(path), #lines, first)
  end
  local meant = vim.list_slice(lines, first, last)
  last = first + #meant - 1
  local item = { uri = vim.uri_from_fname(path), text = table.concat(meant, "\n") }
  item.range = piece.whole_lines(first, meant)
  return { label = piece.with_lines(piece.shown(path), first, last), item = item }
end

--- A whole file that is not loaded. The daemon reads files in the session's folder itself. For a file elsewhere it would ask,
--- although the user has just named it, so its text is sent.
---@param path string
---@param kind string As |uv.fs_stat()| calls it.
---@return copydesk.ContextPiece
local function whole_file(path, kind)
  local item = { uri = vim.uri_from_fname(path) }
  local is_inside = vim.startswith(path, require("copydesk.context").folder() .. "/")
  if kind == "file" and not is_inside then
    -- Four more bytes, so that truncation does not split a character.
    local text = head_of(path, require("copydesk.context").longest + 4) or ""
    item.text = not text:find("%z") and text or nil
  end
  return { label = piece.shown(path), item = item }
end

--- The paths that a name may mean: in the session's folder first, then in Neovim's.
---@param path string
---@return string[]
local function places(path)
  local all = { path }
  if not path:find("^[/~]") then
    local folder, here = require("copydesk.context").folder(), vim.fn.getcwd()
    all = { vim.fs.joinpath(folder, path), folder ~= here and vim.fs.joinpath(here, path) or nil }
  end
  return vim.tbl_map(function(place)
    return vim.fs.normalize(place, { expand_env = false })
  end, all)
end

---@param path string
---@param first? integer
---@param last? integer
---@return copydesk.ContextPiece?
---@return string? problem
local function piece_at(path, first, last)
  local buffer = require("copydesk.buffer").of(vim.uri_from_fname(path))
  local stat = vim.uv.fs_stat(path)
  if stat and stat.type == "file" and media.kind(path) then
    return { label = piece.shown(path), media = path }
  elseif buffer and vim.api.nvim_buf_is_loaded(buffer) then
    local count = vim.api.nvim_buf_line_count(buffer)
    if first and first > count then
      return nil, ("`%s` has only %d lines; there is no line %d"):format(piece.shown(path), count, first)
    end
    return first and piece.lines(buffer, first, last) or piece.buffer(buffer)
  elseif stat and stat.type == "file" and first then
    return lines_of_file(path, first, last)
  elseif stat then
    return whole_file(path, stat.type)
  end
end

--- A file, folder or loaded buffer by path, optionally with lines.
---@param word string
---@return copydesk.ContextPiece?
---@return string? problem
function M.named(word)
  -- Only dots and slashes are part of a sentence.
  if not word:find("[%w_\128-\255]") then
    return nil
  end
  -- A file may be named `a:1`.
  for _, reading in ipairs({ { word }, { mention.lines(word) } }) do
    for _, path in ipairs(places(reading[1])) do
      local found, problem = piece_at(path, reading[2], reading[3])
      if found or problem then
        return found, problem
      end
    end
  end
end

--- A symbol that completion has listed.
---@param name string
---@return copydesk.ContextPiece?
function M.symbol(name)
  local symbol = require("copydesk.complete.symbols").known(name)
  if not symbol then
    return nil
  end
  local first, last = symbol.range.start.line + 1, symbol.range["end"].line + 1
  local found = M.named(("%s:%d-%d"):format(vim.uri_to_fname(symbol.uri), first, last))
  if found then
    found.label = ("%s in %s"):format(name, found.label)
  end
  return found
end

return M
