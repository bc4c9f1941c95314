--- Finds the lines of a hunk in a buffer.
---
--- Contract: pure. The user may have typed since the daemon sent the hunk: its lines are looked up at the sent row, at their last row,
--- and nearby; there is no guess if they are not found.

local M = {}

--- How many rows around are searched.
local REACH = 200

--- The lines of a hunk that are in the text.
---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string[] lines
---@return integer count
---@return copydesk.CutLineInfo[] cut
function M.real(one, hunk)
  if one.when == "after" then
    return hunk.new, hunk.newLines, hunk.newCut or {}
  end
  return hunk.old, hunk.oldLines, hunk.oldCut or {}
end

--- The lines of a hunk that are not in the text.
---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string[] lines
---@return integer count
---@return copydesk.CutLineInfo[] cut
function M.virtual(one, hunk)
  if one.when == "after" then
    return hunk.old, hunk.oldLines, hunk.oldCut or {}
  end
  return hunk.new, hunk.newLines, hunk.newCut or {}
end

--- The lines for the user: a cut one ends with its length.
---@param lines string[]
---@param cut copydesk.CutLineInfo[]
---@return string[]
function M.with_lengths(lines, cut)
  local shown = #cut > 0 and vim.list_slice(lines) or lines
  for _, one in ipairs(cut) do
    shown[one.line + 1] = ("%s… (%d bytes)"):format(lines[one.line + 1], one.bytes)
  end
  return shown
end

--- The length of a line, without its end.
---@param bufnr integer
---@param row integer
---@return integer
local function length_of(bufnr, row)
  local option = vim.bo[bufnr]
  local has_end = row + 1 < vim.api.nvim_buf_line_count(bufnr) or option.endofline
  -- Neovim counts an end that it would add.
  has_end = has_end or option.fixendofline and not option.binary
  local size = vim.api.nvim_buf_get_offset(bufnr, row + 1) - vim.api.nvim_buf_get_offset(bufnr, row)
  return size - (has_end and 1 or 0)
end

--- Whether a line begins with a text and has a length. It is not copied out of the buffer.
---@param bufnr integer
---@param row integer
---@param begin string
---@param bytes integer
---@return boolean
local function has_beginning(bufnr, row, begin, bytes)
  return length_of(bufnr, row) == bytes and vim.api.nvim_buf_get_text(bufnr, row, 0, row, #begin, {})[1] == begin
end

--- Whether some lines are at a row.
---@param bufnr integer
---@param wanted string[]
---@param cut copydesk.CutLineInfo[]
---@param row integer
---@return boolean
local function stands(bufnr, wanted, cut, row)
  if row < 0 or row + #wanted > vim.api.nvim_buf_line_count(bufnr) then
    return false
  end
  local first = cut[1] and cut[1].line == 0 and cut[1].bytes or #wanted[1]
  if not has_beginning(bufnr, row, wanted[1], first) then
    return false
  end
  local at = 0
  for _, stop in ipairs(vim.list_extend(vim.list_slice(cut), { { line = #wanted } })) do
    for number, line in ipairs(vim.api.nvim_buf_get_lines(bufnr, row + at, row + stop.line, false)) do
      if wanted[at + number] ~= line then
        return false
      end
    end
    if stop.bytes and not has_beginning(bufnr, row + stop.line, wanted[stop.line + 1], stop.bytes) then
      return false
    end
    at = stop.line + 1
  end
  return true
end

--- The row at which some lines begin.
---@param bufnr integer
---@param wanted string[]
---@param cut copydesk.CutLineInfo[] Those of them of which only the beginning is known.
---@param expected integer
---@param last? integer Their last known row.
---@return integer?
function M.find(bufnr, wanted, cut, expected, last)
  for _, row in ipairs({ expected, last }) do
    if stands(bufnr, wanted, cut, row) then
      return row
    end
  end
  for away = 1, REACH do
    for _, row in ipairs({ expected - away, expected + away }) do
      if stands(bufnr, wanted, cut, row) then
        return row
      end
    end
  end
end

return M
