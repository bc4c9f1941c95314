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
---@return copydesk.WireRange
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

--- What is selected in a buffer, or was last.
---@param buffer integer
---@return copydesk.Piece?
---@return string? problem
function M.selection(buffer)
  local found = require("copydesk.selection").of(buffer)
  if not found then
    return nil, ("nothing was selected in %s"):format(M.name(buffer))
  end
  local item = { uri = require("copydesk.buffer").uri(buffer), range = found.range, text = found.text }
  return { label = M.with_lines(M.name(buffer), found.first, found.last), item = item }
end

return M
