--- Replaces ranges of a buffer, and verifies that it happened.
---
--- Contract: whole lines are inserted and deleted as lines; near manual folds other ranges are replaced line by line as far
--- as possible, because Neovim keeps folds and marks only at lines it knows to be the same. The reported outcome is true even if
--- another plugin's callback fails meanwhile.

local length = require("copydesk.apply.ranges").line_length

local M = {}

---@return copydesk.ByteRange
local function range_of(start_row, start_col, end_row, end_col, lines)
  return { start_row = start_row, start_col = start_col, end_row = end_row, end_col = end_col, lines = lines }
end

--- Whether a window has a manual fold at the rows of a range.
---@param bufnr integer
---@param range copydesk.ByteRange
---@return boolean
local function has_folds(bufnr, range)
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local found = vim.wo[window].foldmethod == "manual"
      and vim.api.nvim_win_call(window, function()
        for row = range.start_row, range.end_row + 2 do
          if vim.fn.foldlevel(row) > 0 then
            return true
          end
        end
      end)
    if found then
      return true
    end
  end
  return false
end

--- Splits a range into pieces, the lowest first: each replaces lines by as many, or inserts or deletes whole lines. A range
--- that splits a line in the middle stays whole.
---@param bufnr integer
---@param range copydesk.ByteRange
---@return copydesk.ByteRange[]
local function split_range(bufnr, range)
  local first, from_col, last, to_col = range.start_row, range.start_col, range.end_row, range.end_col
  local lines = range.lines
  if last > first and to_col == 0 and #lines > 1 and lines[#lines] == "" then
    last, lines = last - 1, vim.list_slice(lines, 1, #lines - 1)
    to_col = length(bufnr, last)
  end
  if last > first and #lines > 1 and lines[1] == "" and from_col == length(bufnr, first) then
    first, from_col, lines = first + 1, 0, vim.list_slice(lines, 2)
  end
  local old, new = last - first + 1, #lines
  local is_to_end = to_col == length(bufnr, last)
  if old == new then
    return { range_of(first, from_col, last, to_col, lines) }
  elseif new > old and is_to_end then
    local more = vim.list_extend({ "" }, lines, old + 1)
    local same = range_of(first, from_col, last, to_col, vim.list_slice(lines, 1, old))
    return { range_of(last, to_col, last, to_col, more), same }
  elseif new > old and from_col == 0 then
    local more = vim.list_slice(lines, 1, new - old)
    local same = range_of(first, 0, last, to_col, vim.list_slice(lines, new - old + 1))
    return { same, range_of(first, 0, first, 0, vim.list_extend(more, { "" })) }
  elseif new < old and is_to_end then
    local row = first + new - 1
    local col = length(bufnr, row)
    return { range_of(row, col, last, to_col, { "" }), range_of(first, from_col, row, col, lines) }
  elseif new < old and from_col == 0 then
    local row = first + old - new
    return { range_of(row, 0, last, to_col, lines), range_of(first, 0, row, 0, { "" }) }
  end
  return { range }
end

--- Inserts whole lines below one. Vim functions treat NUL as the end of a line, so it is passed as a line feed.
---@param bufnr integer
---@param below integer From 1; 0 is before the first.
---@param lines string[]
---@return boolean
local function insert_lines(bufnr, below, lines)
  local given = vim.tbl_map(function(line)
    return (line:gsub("%z", "\n"))
  end, lines)
  return vim.fn.appendbufline(bufnr, below, given) == 0
end

--- Changes the text. On failure it throws or returns false.
---@param bufnr integer
---@param range copydesk.ByteRange
---@return boolean
local function change_text(bufnr, range)
  local first, from_col, last, to_col = range.start_row, range.start_col, range.end_row, range.end_col
  local lines = range.lines
  -- vim.lsp syncs wrongly when lines follow a last line without an end, and when lines before the only remaining one go.
  local count = vim.api.nvim_buf_line_count(bufnr)
  local is_open_end = last + 1 == count and not vim.bo[bufnr].endofline
  if first == last and from_col == to_col and #lines > 1 then
    if from_col == 0 and lines[#lines] == "" then
      return insert_lines(bufnr, first, vim.list_slice(lines, 1, #lines - 1))
    elseif lines[1] == "" and from_col == length(bufnr, first) and not is_open_end then
      return insert_lines(bufnr, first + 1, vim.list_slice(lines, 2))
    end
  elseif last > first and last - first < count - 1 and #lines == 1 and lines[1] == "" then
    if from_col == 0 and to_col == 0 then
      return vim.fn.deletebufline(bufnr, first + 1, last) == 0
    elseif from_col == length(bufnr, first) and to_col == length(bufnr, last) and not is_open_end then
      return vim.fn.deletebufline(bufnr, first + 2, last + 1) == 0
    end
  end
  vim.api.nvim_buf_set_text(bufnr, first, from_col, last, to_col, lines)
  return true
end

---@param bufnr integer
---@return integer
local function size_of(bufnr)
  return vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
end

---@param lines string[]
---@return integer
local function size_of_lines(lines)
  local size = #lines
  for _, line in ipairs(lines) do
    size = size + #line
  end
  return size
end

--- The range that reverts another one once it is applied.
---@param range copydesk.ByteRange
---@param old string[]
---@return copydesk.ByteRange
local function inverse(range, old)
  local lines = range.lines
  local end_col = (#lines == 1 and range.start_col or 0) + #lines[#lines]
  return range_of(range.start_row, range.start_col, range.start_row + #lines - 1, end_col, old)
end

--- Replaces a range, or a piece of one.
---@param bufnr integer
---@param range copydesk.ByteRange
---@return copydesk.ByteRange? back The range that reverts it.
---@return string? problem
local function replace(bufnr, range)
  local function text(target)
    return vim.api.nvim_buf_get_text(bufnr, target.start_row, target.start_col, target.end_row, target.end_col, {})
  end
  local old, size = text(range), size_of(bufnr)
  local back = inverse(range, old)
  local ok, is_done = pcall(change_text, bufnr, range)
  if not ok or not is_done then
    -- Another plugin's callback may have failed although the change was made.
    local is_size = size_of(bufnr) == size + size_of_lines(range.lines) - size_of_lines(old)
    local can_read, now = pcall(text, back)
    if not (is_size and can_read and vim.deep_equal(now, range.lines)) then
      return nil, ok and "Neovim refuses the change" or tostring(is_done):match("^[^\n]*")
    end
  end
  return back
end

--- Replaces ranges that are in text order.
---@param bufnr integer
---@param ranges copydesk.ByteRange[]
---@return copydesk.ByteRange[] back The ranges that revert what was done, in this order.
---@return string? problem Why the rest was not done.
function M.all(bufnr, ranges)
  local undone = {} ---@type copydesk.ByteRange[] The last one first.
  local function back()
    return vim.iter(undone):rev():totable()
  end
  for number = #ranges, 1, -1 do
    local range = ranges[number]
    for _, piece in ipairs(has_folds(bufnr, range) and split_range(bufnr, range) or { range }) do
      local one, problem = replace(bufnr, piece)
      if not one then
        return back(), problem
      end
      undone[#undone + 1] = one
    end
  end
  return back()
end

--- Reverts replacements.
---@param bufnr integer
---@param back copydesk.ByteRange[]
---@return boolean
function M.revert(bufnr, back)
  for _, range in ipairs(back) do
    if not replace(bufnr, range) then
      return false
    end
  end
  return true
end

return M
