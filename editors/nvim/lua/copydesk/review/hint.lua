--- Shows the keys for the hunk under the cursor: at the end of its first line or, if they do not fit there, below the hunk.
---
--- Contract: one hint at a time, in the focused window, and none in insert mode. Names only keys that are mapped there.

local M = {}

local hints = vim.api.nvim_create_namespace("copydesk.review.hint")

---@type integer? The buffer that shows it.
local shown_in
---@type string? Its text and position.
local shown

--- Removes the hint.
function M.hide()
  if shown_in and vim.api.nvim_buf_is_valid(shown_in) then
    vim.api.nvim_buf_clear_namespace(shown_in, hints, 0, -1)
  end
  shown_in, shown = nil, nil
end

---@param found copydesk.LocatedHunk
---@return string[]
local function words_of(found)
  local words = { ("%d/%d"):format(require("copydesk.review.draw").number(found)) }
  if found.hunk.deciding then
    words[2] = "being decided"
    return words
  end
  local keys = require("copydesk.review.keys").mapped(found.bufnr)
  if found.one.writing then
    words[2] = "being written"
    words[3] = keys.reject and ("%s stop"):format(keys.reject) or nil
    return words
  end
  words[#words + 1] = require("copydesk.review.problems").count(found.hunk)
  local names = { "accept", "reject", "comment" }
  if found.one.when == "before" then
    table.insert(names, 3, "edit")
  end
  for _, name in ipairs(names) do
    if keys[name] then
      words[#words + 1] = ("%s %s"):format(keys[name], name)
    end
  end
  return words
end

--- A longer line is not measured, nor is its window: with a line of megabytes each costs tens of milliseconds.
local MAX_MEASURED_BYTES = 4096
--- The columns for signs, numbers and folds in a window that is not measured.
local USUAL_MARGIN = 8

--- Whether a text fits behind a line of the focused window, and the cells of a row there.
---@param row integer
---@param text string
---@return boolean
---@return integer width
local function fits_behind(row, text)
  local line = vim.api.nvim_buf_get_lines(0, row, row + 1, true)[1]
  if #line > MAX_MEASURED_BYTES then
    return false, vim.api.nvim_win_get_width(0) - USUAL_MARGIN
  end
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local width = info.width - info.textoff
  local used = vim.fn.virtcol({ row + 1, "$" }) - 1
  if vim.wo.wrap and used > 0 then
    used = (used - 1) % width + 1
  end
  return used + vim.fn.strdisplaywidth(text) <= width, width
end

--- Breaks words into rows of at most a width.
---@param words string[]
---@param width integer
---@return string[][][] rows As for `virt_lines`.
local function rows_of(words, width)
  local rows = {}
  for _, word in ipairs(words) do
    local last = rows[#rows]
    if last and vim.fn.strdisplaywidth(last .. "  " .. word) <= width then
      rows[#rows] = last .. "  " .. word
    else
      rows[#rows + 1] = "  " .. word
    end
  end
  return vim.tbl_map(function(row)
    return { { row, "CopydeskHint" } }
  end, rows)
end

--- Updates the hint after the cursor or the hunks changed.
function M.update()
  local bufnr = vim.api.nvim_get_current_buf()
  local draw = require("copydesk.review.draw")
  local is_wanted = require("copydesk.config").get().review.hint and draw.has(bufnr)
  if not is_wanted or vim.fn.mode():find("^[iRt]") then
    return M.hide()
  end
  local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = draw.at(bufnr, cursor)
  if not found then
    return M.hide()
  end
  local row = found.count > 0 and found.first or cursor
  if row < cursor and row + 1 < vim.fn.line("w0") then
    row = cursor
  end
  local words = words_of(found)
  local text = "  " .. table.concat(words, "  ")
  local fits, width = fits_behind(row, text)
  -- Virtual rows would misalign the two sides of a diff.
  local is_below = not vim.wo.diff and not fits
  if is_below and found.count > 1 and found.first + found.count <= vim.fn.line("w$") then
    row = found.first + found.count - 1
  end
  local now = ("%d %d %d %s %s"):format(bufnr, row, width, is_below, text)
  local at = shown_in == bufnr and vim.api.nvim_buf_get_extmark_by_id(bufnr, hints, 1, {})[1]
  if now == shown and at == row then
    return
  end
  M.hide()
  -- Virtual lines of one row stand in the order of their columns: the hunk's are at the first one.
  local column = is_below and #vim.api.nvim_buf_get_lines(bufnr, row, row + 1, true)[1] or 0
  vim.api.nvim_buf_set_extmark(bufnr, hints, row, column, {
    id = 1,
    virt_lines = is_below and rows_of(words, width) or nil,
    virt_text = not is_below and { { text, "CopydeskHint" } } or nil,
    virt_text_pos = not is_below and "eol" or nil,
    -- "combine" would strike it through on struck lines.
    hl_mode = found.one.when == "after" and "combine" or "replace",
    priority = 10,
  })
  shown_in, shown = bufnr, now
end

return M
