--- Parts of buffers as context of a prompt: a whole buffer, lines, the selection.
---
--- Contract: each function returns a piece, nil if there is none, or nil and the reason. Texts are the buffers' current ones, saved
--- or not.

local position = require("copydesk.position")

local M = {}

--- The display form of a path: as short as possible.
---@param path string
---@return string
function M.shown(path)
  local folder = require("copydesk.context").folder()
  if vim.startswith(path, folder .. "/") then
    return path:sub(#folder + 2)
  end
  return vim.fn.fnamemodify(path, ":~")
end

--- The display name of a buffer.
---@param buffer integer
---@return string
function M.name(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  return name == "" and "unnamed buffer" or M.shown(name)
end

--- The range of whole lines, from their texts.
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
---@return copydesk.ContextPiece
function M.buffer(buffer)
  return { label = M.name(buffer), item = { uri = require("copydesk.buffer").uri(buffer) } }
end

--- A label with line numbers.
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
---@return copydesk.ContextPiece
function M.lines(buffer, first, last)
  local lines = vim.api.nvim_buf_get_lines(buffer, first - 1, last, false)
  last = first + math.max(#lines, 1) - 1
  local item = { uri = require("copydesk.buffer").uri(buffer), text = table.concat(lines, "\n") }
  item.range = M.whole_lines(first, lines)
  return { label = M.with_lines(M.name(buffer), first, last), item = item }
end

--- The selection of a buffer, or the last one.
---@param buffer integer
---@return copydesk.ContextPiece?
---@return string? problem
function M.selection(buffer)
  local found = require("copydesk.selection").of(buffer)
  if not found then
    return nil, ("nothing is selected in %s"):format(M.name(buffer))
  end
  local item = { uri = require("copydesk.buffer").uri(buffer), range = found.range, text = found.text }
  return { label = M.with_lines(M.name(buffer), found.first, found.last), item = item }
end

return M
