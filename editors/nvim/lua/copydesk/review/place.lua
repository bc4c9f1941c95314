--- Where the lines of a hunk stand in a buffer.
---
--- Contract: pure. A hunk was told for a text that may have been typed in since: its lines are looked for where they were told
--- to be, where they were last, and a little around; what is not found is not guessed.

local M = {}

--- How far around the lines are looked for.
local REACH = 200

--- The lines of a hunk that stand in the text.
---@param one copydesk.Reviewed
---@param hunk copydesk.HunkInfo
---@return string[] lines
---@return integer count
function M.real(one, hunk)
  if one.when == "after" then
    return hunk.new, hunk.newLines
  end
  return hunk.old, hunk.oldLines
end

--- The lines of a hunk that do not.
---@param one copydesk.Reviewed
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

--- The row in which some lines begin.
---@param bufnr integer
---@param wanted string[]
---@param told integer
---@param last? integer Where they were last.
---@return integer?
function M.find(bufnr, wanted, told, last)
  for _, row in ipairs({ told, last }) do
    local lines = vim.api.nvim_buf_get_lines(bufnr, row, row + #wanted, false)
    if stands(lines, wanted, 1) then
      return row
    end
  end
  local first = math.max(0, told - REACH)
  local lines = vim.api.nvim_buf_get_lines(bufnr, first, told + REACH + #wanted, false)
  for away = 1, REACH do
    for _, row in ipairs({ told - away, told + away }) do
      if row >= first and stands(lines, wanted, row - first + 1) then
        return row
      end
    end
  end
end

return M
