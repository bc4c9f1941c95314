--- The extmarks of one hunk: the range that anchors it, and everything drawn for it.
---
--- Contract: touches only the hunk's own marks. The drawing depends only on the hunk, its row and the layout.

local hunk_lines = require("copydesk.review.hunk_lines")

local M = {}

--- The ranges of the hunks, one mark each.
M.places = vim.api.nvim_create_namespace("copydesk.review.places")
--- Everything else drawn for them.
M.looks = vim.api.nvim_create_namespace("copydesk.review")
local places, looks = M.places, M.looks

--- Below diagnostics, above the highlights of language servers.
local PRIORITY = 150

---@class copydesk.DrawnHunk
---@field one copydesk.ReviewState
---@field hunk copydesk.HunkInfo
---@field range integer The mark of its lines.
---@field marks integer[] The others.
---@field layout string The layout for which it was drawn.
---@field is_end boolean Whether it is after the last line of the text.
---@field above integer How many of its virtual rows are above its first line.

--- The changed words of one side's lines.
---@param hunk copydesk.HunkInfo
---@param side "old"|"new"
---@return table<integer, integer[][]>
local function words_of(hunk, side)
  local words = {}
  for _, line in ipairs(hunk.words or {}) do
    words[line.line] = line[side]
  end
  return words
end

---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string? sign
---@return string group
local function sign_of(one, hunk)
  local signs = vim.tbl_map(function(sign)
    -- Neovim rejects wider ones.
    return vim.fn.strdisplaywidth(sign) <= 2 and sign or vim.fn.strcharpart(sign, 0, 1)
  end, require("copydesk.config").get().review.signs)
  if one.when == "before" then
    return signs.proposed, "CopydeskProposedSign"
  elseif hunk.newLines == 0 then
    return signs.removed, "CopydeskRemovedSign"
  elseif hunk.oldLines == 0 then
    return signs.added, "CopydeskAddedSign"
  end
  return signs.changed, "CopydeskChangedSign"
end

--- Draws the lines that are not in the text.
---@param bufnr integer
---@param item copydesk.DrawnHunk
---@param row integer
---@param count integer
---@param layout copydesk.HunkLayout
local function draw_virtual(bufnr, item, row, count, layout)
  local one, hunk = item.one, item.hunk
  local lines, total, cut = hunk_lines.virtual(one, hunk)
  local is_after = one.when == "after"
  if total == 0 then
    return
  end
  local rows = require("copydesk.review.virtual_lines").rows({
    lines = hunk_lines.with_lengths(lines, cut),
    total = total,
    words = words_of(hunk, is_after and "old" or "new"),
    group = is_after and "CopydeskDelete" or "CopydeskNew",
    word_group = is_after and "CopydeskDeleteWord" or "CopydeskNewWord",
    width = layout.width,
    fill = layout.fill,
    tabstop = layout.tabstop,
    most = require("copydesk.config").get().review.virtual_lines,
  })
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local is_empty = last == 0 and vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
  -- Proposed lines come after the old ones. At the end of the text, and in an empty one, there is no line to be above.
  local is_above = (is_after or count == 0) and row <= last and not (count == 0 and is_empty)
  local at = is_above and row or count == 0 and math.min(row, last) or row + count - 1
  item.above = is_above and #rows or 0
  item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, math.min(at, last), 0, {
    virt_lines = rows,
    virt_lines_above = is_above,
    priority = PRIORITY,
    strict = false,
  })
end

--- Left of the hint, at the end of the same line.
local NEAREST = 5

--- Draws the problems in a hunk's lines.
---@param bufnr integer
---@param item copydesk.DrawnHunk
---@param row integer
local function draw_problems(bufnr, item, row)
  if item.one.when ~= "after" then
    return
  end
  for at, text in pairs(require("copydesk.review.problems").texts(bufnr, item.hunk, row)) do
    item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, at, 0, {
      virt_text = text,
      virt_text_pos = "eol",
      hl_mode = "combine",
      priority = NEAREST,
      strict = false,
    })
  end
end

--- Draws a hunk at its first row.
---@param bufnr integer
---@param item copydesk.DrawnHunk
---@param row integer
---@param layout copydesk.HunkLayout
function M.draw(bufnr, item, row, layout)
  local one, hunk = item.one, item.hunk
  local _, count = hunk_lines.real(one, hunk)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local is_after = one.when == "after"
  local group = is_after and "CopydeskAdd" or "CopydeskOld"
  item.is_end = row > last
  item.range = vim.api.nvim_buf_set_extmark(bufnr, places, math.min(row, last), 0, {
    id = item.range,
    end_row = count > 0 and row + count or math.min(row, last),
    end_col = 0,
    hl_group = count > 0 and not layout.is_diff and group or nil,
    hl_eol = true,
    priority = PRIORITY,
    strict = false,
  })
  local sign, sign_group = sign_of(one, hunk)
  item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, math.min(row, last), 0, {
    end_row = count > 1 and math.min(row + count - 1, last) or nil,
    sign_text = sign,
    sign_hl_group = sign and sign_group or nil,
    number_hl_group = sign_group,
    priority = PRIORITY,
    strict = false,
  })
  if layout.is_diff then
    -- Virtual rows would misalign the two sides.
    return
  end
  draw_virtual(bufnr, item, row, count, layout)
  draw_problems(bufnr, item, row)
  for line, ranges in pairs(words_of(hunk, is_after and "new" or "old")) do
    for _, range in ipairs(ranges) do
      item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, row + line, range[1], {
        end_col = range[2],
        hl_group = is_after and "CopydeskAddWord" or "CopydeskOldWord",
        priority = PRIORITY + 1,
        strict = false,
      })
    end
  end
end

--- Erases a hunk. Its range stays.
---@param bufnr integer
---@param item copydesk.DrawnHunk
function M.wipe(bufnr, item)
  for _, mark in ipairs(item.marks) do
    vim.api.nvim_buf_del_extmark(bufnr, looks, mark)
  end
  item.marks, item.above = {}, 0
end

return M
