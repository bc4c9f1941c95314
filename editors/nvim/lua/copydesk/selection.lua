--- The user's selection, or the last one.
---
--- Contract: a query changes nothing, not even an active selection. The text may have changed since; the result is its current text. A
--- block has the range of its lines and the text of the block.

local position = require("copydesk.position")

local M = {}

--- The cap on lines: each has at least a line end, so that more would exceed the cap on a text.
local MAX_LINES = 128 * 1024

--- The kind of selection by mode, Visual and Select.
local KINDS = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

---@class copydesk.SelectedText
---@field first integer The first line, from 1.
---@field last integer
---@field range copydesk.WireRange
---@field text string
---@field is_at_cursor boolean Whether the cursor is at one of its ends, where selecting leaves it.

---@param number integer
---@return string
local function line_at(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1] or ""
end

--- Clamps a mark to its line: it may be beyond the end.
---@param mark integer[] As from |getpos()|.
---@return integer[]
local function clamp(mark)
  return { 0, mark[2], math.max(1, math.min(mark[3], #line_at(mark[2]) + 1)), 0 }
end

--- The first byte of the character at a place, from 1; beyond the end of the line, that of the last character.
---@param place integer[]
---@return integer
local function character_at(place)
  local line = line_at(place[2])
  local byte = math.max(1, math.min(place[3], #line))
  return line == "" and 1 or byte + vim.str_utf_start(line, byte)
end

---@param from integer[]
---@param to integer[]
---@param kind string
---@return copydesk.WireRange
local function range_of(from, to, kind)
  local last = line_at(to[2])
  local start, stop = from[3] - 1, to[3] - 1
  if kind ~= "v" then
    start, stop = 0, #last
  elseif vim.o.selection ~= "exclusive" and stop < #last then
    stop = stop + 1 + vim.str_utf_end(last, stop + 1)
  end
  local range = {
    start = { line = from[2] - 1, character = start },
    ["end"] = { line = to[2] - 1, character = stop },
  }
  return position.range(range, position.lines_of(vim.api.nvim_get_current_buf()), "utf-8", position.encoding())
end

--- The selection in the current buffer.
---@param live? string The kind of an active selection.
---@return copydesk.SelectedText?
local function selected(live)
  local from, to = vim.fn.getpos(live and "v" or "'<"), vim.fn.getpos(live and "." or "'>")
  local kind = live or vim.fn.visualmode()
  if kind == "" or from[2] == 0 or math.max(from[2], to[2]) > vim.fn.line("$") then
    return nil
  end
  from, to = clamp(from), clamp(to)
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  local cursor = vim.fn.getpos(".")
  local function has_cursor(place)
    return place[2] == cursor[2] and (kind == "V" or character_at(place) == character_at(cursor))
  end
  local stop = to
  if to[2] - from[2] > MAX_LINES then
    stop = clamp({ 0, from[2] + MAX_LINES, math.huge })
  end
  return {
    first = from[2],
    last = to[2],
    range = range_of(from, to, kind),
    text = table.concat(vim.fn.getregion(from, stop, { type = kind }), "\n"),
    is_at_cursor = has_cursor(from) or has_cursor(to),
  }
end

--- The selection of a buffer, or its last one; nil if there was none.
---@param buffer integer
---@param window? integer A window that shows it; active selections in others do not count then.
---@return copydesk.SelectedText?
function M.of(buffer, window)
  local current = vim.api.nvim_get_current_win()
  local is_here = (window or current) == current and buffer == vim.api.nvim_get_current_buf()
  local live = is_here and KINDS[vim.fn.mode()]
  if live then
    -- `nvim_win_call`, even for the current window, would interrupt the selection.
    return selected(live)
  elseif window then
    return vim.api.nvim_win_call(window, selected)
  end
  return vim.api.nvim_buf_call(buffer, selected)
end

return M
