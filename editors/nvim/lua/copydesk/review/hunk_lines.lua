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
function M.real(one, hunk)
  if one.when == "after" then
    return hunk.new, hunk.newLines
  end
  return hunk.old, hunk.oldLines
end

--- The lines of a hunk that are not in the text.
---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string[] lines
---@return integer count
function M.virtual(one, hunk)
  if one.when == "after" then
    return hunk.old, hunk.oldLines
  end
  return hunk.new, hunk.newLines
end

---@param lines string[]
---@param wanted string[]
---@param at integer From 1.
---@return boolean
local function stands(lines, wanted, at)
  for number, line in ipairs(wanted) do
    if lines[at + number - 1] ~= line then
      return false
    end
  end
  return true
end

--- The row at which some lines begin.
---@param bufnr integer
---@param wanted string[]
---@param expected integer
---@param last? integer Their last known row.
---@return integer?
function M.find(bufnr, wanted, expected, last)
  for _, row in ipairs({ expected, last }) do
    local lines = vim.api.nvim_buf_get_lines(bufnr, row, row + #wanted, false)
    if stands(lines, wanted, 1) then
      return row
    end
  end
  local first = math.max(0, expected - REACH)
  local lines = vim.api.nvim_buf_get_lines(bufnr, first, expected + REACH + #wanted, false)
  for away = 1, REACH do
    for _, row in ipairs({ expected - away, expected + away }) do
      if row >= first and stands(lines, wanted, row - first + 1) then
        return row
      end
    end
  end
end

return M
