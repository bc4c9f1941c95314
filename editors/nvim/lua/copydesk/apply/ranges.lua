--- Converts LSP text edits to byte ranges of a buffer, and maps a position before the edits to the same one after them.
---
--- Contract: changes nothing, and reads only the lines that an edit touches. The buffer's options ('endofline',
--- 'fixendofline') decide whether the last line has an end: an edit that changes only that is dropped.

local M = {}

--- Replaces the text between two positions by `lines`. Rows from 0, columns in bytes; a list of ranges is in text order.
---@class copydesk.ByteRange
---@field start_row integer
---@field start_col integer
---@field end_row integer
---@field end_col integer
---@field lines string[]

local has_encodings = vim.fn.has("nvim-0.11") == 1

--- The length of a line in bytes. Does not read the line, which may have megabytes, unless it is the last.
---@param bufnr integer
---@param row integer
---@return integer
function M.line_length(bufnr, row)
  if row + 1 < vim.api.nvim_buf_line_count(bufnr) then
    return vim.api.nvim_buf_get_offset(bufnr, row + 1) - vim.api.nvim_buf_get_offset(bufnr, row) - 1
  end
  return #(vim.api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or "")
end

--- The byte offset of a character, or nil if the line has no such position.
---@param line string
---@param character integer
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return integer?
local function byte_of(line, character, encoding)
  if encoding == "utf-8" then
    local is_place = character == #line or character < #line and vim.str_utf_start(line, character + 1) == 0
    return is_place and character or nil
  end
  local ok, byte, back
  if has_encodings then
    ok, byte = pcall(vim.str_byteindex, line, encoding, character, true)
    back = ok and vim.str_utfindex(line, encoding, byte, true)
  else
    ok, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
    if ok then
      local points, units = vim.str_utfindex(line, byte)
      back = encoding == "utf-16" and units or points
    end
  end
  return ok and back == character and byte or nil
end

--- Splits a text into lines as the buffer would: 'fileformat' decides what ends a line; any other CR is text.
---@param text string
---@param format string
---@return string[]
local function lines_of(text, format)
  if format == "dos" then
    text = text:gsub("\r\n", "\n")
  elseif format == "mac" then
    text = text:gsub("\r\n?", "\n")
  end
  return vim.split(text, "\n", { plain = true })
end

--- Whether one position is before another.
local function is_before(row, col, other_row, other_col)
  return row < other_row or row == other_row and col < other_col
end

--- Whether a range replaces nothing by nothing.
---@param range copydesk.ByteRange
---@return boolean
local function is_empty_edit(range)
  local is_empty = range.start_row == range.end_row and range.start_col == range.end_col
  return is_empty and #range.lines == 1 and range.lines[1] == ""
end

--- Merges adjacent ranges; nil if two overlap.
---@param ranges copydesk.ByteRange[]
---@return copydesk.ByteRange[]?
local function merge_adjacent(ranges)
  local result = {} ---@type copydesk.ByteRange[]
  for _, range in ipairs(ranges) do
    local last = result[#result]
    if last and is_before(range.start_row, range.start_col, last.end_row, last.end_col) then
      return nil
    elseif last and range.start_row == last.end_row and range.start_col == last.end_col then
      last.lines[#last.lines] = last.lines[#last.lines] .. range.lines[1]
      vim.list_extend(last.lines, range.lines, 2)
      last.end_row, last.end_col = range.end_row, range.end_col
    else
      result[#result + 1] = range
    end
  end
  return result
end

--- Moves the last edit back from the end of the text, where a buffer has no position: its last line ends there, or gets its
--- end on write.
---@param range copydesk.ByteRange
---@param count integer The number of lines.
---@param has_end boolean Whether the last line already has an end.
---@param line fun(row: integer): string
local function clamp_last_range(range, count, has_end, line)
  local lines, last = range.lines, #line(count - 1)
  local is_append = range.start_row == count
  if range.end_row == count then
    range.end_row, range.end_col = count - 1, last
  elseif has_end or range.end_row < count - 1 or range.end_col < last then
    return
  end
  if is_append then
    range.start_row, range.start_col = count - 1, last
    if #lines > 1 or lines[1] ~= "" then
      table.insert(lines, 1, "")
    end
  end
  if #lines > 1 and lines[#lines] == "" then
    lines[#lines] = nil
  elseif #lines == 1 and lines[1] == "" and range.start_col == 0 and range.start_row > 0 then
    range.start_row = range.start_row - 1
    range.start_col = #line(range.start_row)
  end
end

--- Resolves edits to ranges of a buffer.
---@param bufnr integer
---@param edits lsp.TextEdit[]
---@param encoding "utf-8"|"utf-16"|"utf-32"
---@return copydesk.ByteRange[]? ranges
---@return string? problem Why they cannot be applied.
function M.resolve(bufnr, edits, encoding)
  local known = {} ---@type table<integer, string>
  local function line(row)
    known[row] = known[row] or vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1]
    return known[row]
  end
  local options = vim.bo[bufnr]
  local count = vim.api.nvim_buf_line_count(bufnr)
  ---@param position lsp.Position
  local function place(position)
    if position.line < count then
      return byte_of(line(position.line), position.character, encoding)
    end
    return position.line == count and position.character == 0 and options.endofline and 0 or nil
  end
  local ranges = {} ---@type copydesk.ByteRange[]
  local order = {} ---@type table<copydesk.ByteRange, integer>
  for number, edit in ipairs(edits) do
    local from, to = edit.range.start, edit.range["end"]
    local start_col, end_col = place(from), place(to)
    if not start_col or not end_col then
      local at = start_col and to or from
      return nil, ("there is no place %d:%d in it"):format(at.line + 1, at.character + 1)
    elseif is_before(to.line, end_col, from.line, start_col) then
      return nil, ("an edit at %d:%d ends before it begins"):format(from.line + 1, from.character + 1)
    end
    local range = { start_row = from.line, start_col = start_col, end_row = to.line, end_col = end_col }
    range.lines = lines_of(edit.newText, options.fileformat)
    if not is_empty_edit(range) then
      ranges[#ranges + 1], order[range] = range, number
    end
  end
  table.sort(ranges, function(a, b)
    if a.start_row ~= b.start_row or a.start_col ~= b.start_col then
      return is_before(a.start_row, a.start_col, b.start_row, b.start_col)
    end
    -- An insertion comes before a replacement at the same position.
    local a_ends, b_ends = { a.end_row, a.end_col }, { b.end_row, b.end_col }
    local is_same_end = a_ends[1] == b_ends[1] and a_ends[2] == b_ends[2]
    return is_same_end and order[a] < order[b] or is_before(a_ends[1], a_ends[2], b_ends[1], b_ends[2])
  end)
  local result = merge_adjacent(ranges)
  if not result then
    return nil, "the edits overlap"
  end
  local last = result[#result]
  if last and (options.endofline or options.fixendofline and not options.binary) then
    clamp_last_range(last, count, options.endofline, line)
  end
  if last and is_empty_edit(last) then
    result[#result] = nil
    if #result == 0 then
      return nil, "whether its last line has an end is up to its options ('endofline', 'fixendofline')"
    end
  end
  return result
end

--- The first byte of the character at a byte of a text.
local function character_start(text, col)
  if col >= #text then
    return #text
  end
  return col + vim.str_utf_start(text, col + 1)
end

--- Where a position is after the edits. It stays with the character at it; if that one is gone, with the same line of its
--- replacement. At the end of a line it stays with the text before it, unless whole lines are inserted there.
---@param ranges copydesk.ByteRange[]
---@param place copydesk.TextPlace
---@return integer row
---@return integer col
function M.map_position(ranges, place)
  local row, col = place.row, place.col
  -- How far text after the last range has moved: rows, and columns in the row where the range ended.
  local rows, on_row, cols = 0, -1, 0
  for _, range in ipairs(ranges) do
    local lines, from_row, from_col = range.lines, range.start_row, range.start_col
    if is_before(row, col, from_row, from_col) then
      break
    end
    local start_row = from_row + rows
    local start_col = from_col + (from_row == on_row and cols or 0)
    local is_at_start = row == from_row and col == from_col
    local is_at_end = row == range.end_row and col == range.end_col
    if is_at_start and is_at_end then
      if lines[#lines] ~= "" and place.is_end then
        return start_row, start_col
      end
    elseif is_at_start then
      return start_row, start_col
    elseif
      is_before(row, col, range.end_row, range.end_col)
      or is_at_end and #lines > range.end_row - from_row + 1 and col > 0 and place.is_end
    then
      local index = math.min(row - from_row, #lines - 1)
      local first = index == 0 and start_col or 0
      local before = row == from_row and col - from_col or col
      return start_row + index, first + character_start(lines[index + 1], before)
    end
    rows = start_row + #lines - 1 - range.end_row
    on_row = range.end_row
    cols = (#lines == 1 and start_col or 0) + #lines[#lines] - range.end_col
  end
  return row + rows, col + (row == on_row and cols or 0)
end

return M
