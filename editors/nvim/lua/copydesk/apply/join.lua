--- Joins many ranges to few. Each change that Neovim is told makes every client of the buffer compare the text again, so ten thousand
--- of them would stop the editor for seconds.
---
--- The daemon joins edits, too, but only more than a thousand: the places of cursors and marks are derived from what it sends.
---
--- Contract: the joined ranges give the same text. They end where the text between two ranges is longest.

local M = {}

--- How many changes are made one by one. A test sets it.
M.max_changes = 100

--- The rows between each range and the next one.
---@param ranges copydesk.ByteRange[]
---@return integer[]
local function gaps_of(ranges)
  local gaps = {}
  for number = 1, #ranges - 1 do
    gaps[number] = ranges[number + 1].start_row - ranges[number].end_row
  end
  return gaps
end

--- Joins the ranges from one to another.
---@param bufnr integer
---@param ranges copydesk.ByteRange[]
---@param from integer
---@param to integer
---@return copydesk.ByteRange
local function join(bufnr, ranges, from, to)
  local first, last = ranges[from], ranges[to]
  if from == to then
    return first
  end
  local old = vim.api.nvim_buf_get_lines(bufnr, first.start_row, last.end_row + 1, false)
  local lines = { "" }
  ---@param added string
  local function continue_line(added)
    lines[#lines] = lines[#lines] .. added
  end
  for number = from, to do
    local range, following = ranges[number], ranges[number + 1]
    continue_line(range.lines[1])
    vim.list_extend(lines, range.lines, 2)
    if number < to then
      for row = range.end_row, following.start_row do
        local line = old[row - first.start_row + 1]
        local start = row == range.end_row and range.end_col + 1 or 1
        local stop = row == following.start_row and following.start_col or #line
        if row > range.end_row then
          lines[#lines + 1] = ""
        end
        continue_line(line:sub(start, stop))
      end
    end
  end
  return {
    start_row = first.start_row,
    start_col = first.start_col,
    end_row = last.end_row,
    end_col = last.end_col,
    lines = lines,
  }
end

--- Joins ranges, if there are very many.
---@param bufnr integer
---@param ranges copydesk.ByteRange[] In text order.
---@return copydesk.ByteRange[]
function M.to_few(bufnr, ranges)
  if #ranges <= M.max_changes then
    return ranges
  end
  local gaps = gaps_of(ranges)
  local longest = vim.list_slice(gaps)
  table.sort(longest, function(a, b)
    return a > b
  end)
  local longest_joined, joined, from = longest[M.max_changes], {}, 1
  for number = 1, #ranges do
    if number == #ranges or gaps[number] > longest_joined then
      joined[#joined + 1] = join(bufnr, ranges, from, number)
      from = number + 1
    end
  end
  return joined
end

return M
