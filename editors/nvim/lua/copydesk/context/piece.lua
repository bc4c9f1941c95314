--- Pieces of buffers that can go along with a prompt: all of one, lines of it, what is selected.
---
--- Contract: each function gives a piece; or nothing where there is no such thing; or why it cannot be. Texts are as the
--- person sees them, saved or not.

local position = require("copydesk.position")

local M = {}

--- How a path is shown: as short as it can be.
---@param path string
---@return string
function M.shown(path)
  local folder = require("copydesk.context").folder()
  if vim.startswith(path, folder .. "/") then
    return path:sub(#folder + 2)
  end
  return vim.fn.fnamemodify(path, ":~")
end

--- How a buffer is called.
---@param buffer integer
---@return string
function M.name(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return name == "" and "unnamed buffer" or M.shown(name)
end

--- The range of whole lines; `lines` are their texts.
---@param first integer From 1.
---@param lines string[]
---@return copydesk.Range
function M.whole_lines(first, lines)
  local last = lines[#lines] or ""
  local number = first + math.max(#lines, 1) - 2
  local finish = { line = number, character = #last }
  local encoding = position.encoding()
  return {
    start = { line = first - 1, character = 0 },
    ["end"] = position.position(finish, function()
      return last
    end, "utf-8", encoding),
  }
end

---@param buffer integer
---@return copydesk.Piece
function M.buffer(buffer)
  return { label = M.name(buffer), item = { uri = require("copydesk.buffer").uri(buffer) } }
end

--- A label with the lines that are meant.
---@param label string
---@param first integer
---@param last integer
---@return string
function M.with_lines(label, first, last)
  return first == last and ("%s:%d"):format(label, first) or ("%s:%d-%d"):format(label, first, last)
end

--- Whole lines of a buffer.
---@param buffer integer
---@param first integer From 1.
---@param last integer
---@return copydesk.Piece
function M.lines(buffer, first, last)
  local lines = vim.api.nvim_buf_get_lines(buffer, first - 1, last, false)
  last = first + math.max(#lines, 1) - 1
  local item = { uri = require("copydesk.buffer").uri(buffer), text = table.concat(lines, "\n") }
  item.range = M.whole_lines(first, lines)
  return { label = M.with_lines(M.name(buffer), first, last), item = item }
end

--- What is selected in the current buffer, or was last.
---@param live? string The mode, where it is a Visual one now.
---@return { mode: string, from: integer[], to: integer[], text: string[] }?
local function selected(live)
  local from, to = vim.fn.getpos(live and "v" or "'<"), vim.fn.getpos(live and "." or "'>")
  local mode = live or vim.fn.visualmode()
  if mode == "" or from[2] == 0 or to[2] > vim.fn.line("$") then
    return nil
  end
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  return { mode = mode, from = from, to = to, text = vim.fn.getregion(from, to, { type = mode }) }
end

--- What is selected in a buffer, or was last.
---@param buffer integer
---@return copydesk.Piece?
---@return string? problem
function M.selection(buffer)
  local live = buffer == vim.api.nvim_get_current_buf() and vim.fn.mode():match("^[vV\22]")
  local seen
  if live then
    -- Not through `nvim_buf_call`, which ends the selection for a while.
    seen = selected(live)
  else
    seen = vim.api.nvim_buf_call(buffer, selected)
  end
  if not seen then
    return nil, ("nothing was selected in %s"):format(M.name(buffer))
  end
  local from, to, text = seen.from, seen.to, table.concat(seen.text, "\n")
  if seen.mode ~= "v" then
    local piece = M.lines(buffer, from[2], to[2])
    piece.item.text = text
    return piece
  end
  local lines = position.lines_of(buffer)
  local last = lines(to[2] - 1) or ""
  -- The byte after the last character that is selected.
  local is_included = vim.o.selection ~= "exclusive" and to[3] <= #last
  local width = is_included and vim.str_utf_end(last, to[3]) + 1 or 0
  local stretch = {
    start = { line = from[2] - 1, character = from[3] - 1 },
    ["end"] = { line = to[2] - 1, character = math.min(to[3] - 1 + width, #last) },
  }
  local range = position.range(stretch, lines, "utf-8", position.encoding())
  local item = { uri = require("copydesk.buffer").uri(buffer), range = range, text = text }
  return { label = M.with_lines(M.name(buffer), from[2], to[2]), item = item }
end

return M
