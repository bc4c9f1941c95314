--- What a person has selected, or had selected last.
---
--- Contract: asking changes nothing, a selection that goes on included. The text may have changed since: what is given is there
--- now. A block is given as the lines that it stands in; its text is that of the block.

local position = require("copydesk.position")

local M = {}

--- Each line has an end at least, so that more lines are more than anybody sends.
local MOST_LINES = 128 * 1024

--- The kinds of selection, by the modes that have them: Visual ones, and those of Select mode.
local KINDS = { v = "v", V = "V", ["\22"] = "\22", s = "v", S = "V", ["\19"] = "\22" }

---@class copydesk.Selected
---@field first integer The first line, from 1.
---@field last integer The last one.
---@field range copydesk.WireRange
---@field text string
---@field is_at_cursor boolean The cursor is at one of its ends, where selecting leaves it.

---@param number integer
---@return string
local function line_at(number)
  return vim.api.nvim_buf_get_lines(0, number - 1, number, false)[1] or ""
end

--- A mark as a place that is there: it may be behind the end of its line.
---@param mark integer[] As |getpos()| gives it.
---@return integer[]
local function there(mark)
  return { 0, mark[2], math.max(1, math.min(mark[3], #line_at(mark[2]) + 1)), 0 }
end

--- The byte at which the character at a place begins, from 1; behind the end of the line that of the last one.
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

--- In the current buffer.
---@param live? string The kind, where it goes on.
---@return copydesk.Selected?
local function selected(live)
  local from, to = vim.fn.getpos(live and "v" or "'<"), vim.fn.getpos(live and "." or "'>")
  local kind = live or vim.fn.visualmode()
  if kind == "" or from[2] == 0 or math.max(from[2], to[2]) > vim.fn.line("$") then
    return nil
  end
  from, to = there(from), there(to)
  if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
    from, to = to, from
  end
  local cursor = vim.fn.getpos(".")
  local function has_cursor(place)
    return place[2] == cursor[2] and (kind == "V" or character_at(place) == character_at(cursor))
  end
  local stop = to
  if to[2] - from[2] > MOST_LINES then
    stop = there({ 0, from[2] + MOST_LINES, math.huge })
  end
  return {
    first = from[2],
    last = to[2],
    range = range_of(from, to, kind),
    text = table.concat(vim.fn.getregion(from, stop, { type = kind }), "\n"),
    is_at_cursor = has_cursor(from) or has_cursor(to),
  }
end

--- What is selected in a buffer, or was last; nothing where nothing was.
---@param buffer integer
---@param window? integer One that shows it; what goes on in another one does not count then.
---@return copydesk.Selected?
function M.of(buffer, window)
  local current = vim.api.nvim_get_current_win()
  local is_here = (window or current) == current and buffer == vim.api.nvim_get_current_buf()
  local live = is_here and KINDS[vim.fn.mode()]
  if live then
    -- Going there, although one is there, would end the selection for a while.
    return selected(live)
  elseif window then
    return vim.api.nvim_win_call(window, selected)
  end
  return vim.api.nvim_buf_call(buffer, selected)
end

return M
