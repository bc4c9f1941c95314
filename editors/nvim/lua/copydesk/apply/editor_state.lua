--- Saves and restores the state of a buffer that is not text: cursors and views of its windows, the selection, the marks.
---
--- Contract: after the edit each one stands at the same text as before. The jumplist gets no entry, no window is entered,
--- no mode is left.

local ranges_of = require("copydesk.apply.ranges")

local M = {}

--- A position in the text, row and column from 0, and whether it is the end of its line.
---@alias copydesk.TextPlace { row: integer, col: integer, is_end: boolean }

---@class copydesk.SavedView
---@field view vim.fn.winsaveview.ret
---@field cursor copydesk.TextPlace
---@field top copydesk.TextPlace

--- The state before an edit.
---@class copydesk.EditorState
---@field bufnr integer
---@field views table<integer, copydesk.SavedView> By window.
---@field marks table<string, copydesk.TextPlace> By name.
---@field visual? copydesk.TextPlace The other end of the selection.

--- A column of this or more means the end of the line, whatever its length.
local END = 2147483647

local MODES = "^[vV\22sS\19]"

---@param bufnr integer
---@return vim.fn.getmarklist.ret.item[]
local function marks_of(bufnr)
  local marks = vim.fn.getmarklist(bufnr)
  for _, mark in ipairs(vim.fn.getmarklist()) do
    if mark.pos[1] == bufnr then
      marks[#marks + 1] = mark
    end
  end
  return marks
end

--- Saves the state, before the edit.
---@param bufnr integer
---@return copydesk.EditorState
function M.save(bufnr)
  ---@return copydesk.TextPlace
  local function place(row, col)
    return { row = row, col = col, is_end = col >= ranges_of.line_length(bufnr, row) }
  end
  local kept = { bufnr = bufnr, views = {}, marks = {} } ---@type copydesk.EditorState
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    local cursor, top = place(view.lnum - 1, view.col), place(view.topline - 1, 0)
    kept.views[window] = { view = view, cursor = cursor, top = top }
  end
  for _, mark in ipairs(marks_of(bufnr)) do
    local name = mark.mark:sub(2)
      -- No API sets the other marks.
    if name:find('^[%w<>%[%]"]$') and mark.pos[2] > 0 then
      kept.marks[name] = place(mark.pos[2] - 1, math.max(0, mark.pos[3] - 1))
    end
  end
  if vim.api.nvim_get_current_buf() == bufnr and vim.api.nvim_get_mode().mode:find(MODES) then
    local other = vim.fn.getpos("v")
    kept.visual = place(other[2] - 1, other[3] - 1)
  end
  return kept
end

---@param kept copydesk.EditorState
---@param ranges copydesk.ByteRange[]
local function restore_marks(kept, ranges)
  local now = {} ---@type table<string, [integer, integer]>
  for _, mark in ipairs(marks_of(kept.bufnr)) do
    now[mark.mark:sub(2)] = { mark.pos[2] - 1, mark.pos[3] - 1 }
  end
  local last = vim.api.nvim_buf_line_count(kept.bufnr) - 1
  for name, place in pairs(kept.marks) do
    local row, col = ranges_of.map_position(ranges, place)
    local is = now[name]
    -- A linewise selection has a column past every line's end; leave it as it is.
    if not is or is[1] ~= row or is[2] ~= col and place.col < END - 1 then
      row = math.min(row, last)
      local length = ranges_of.line_length(kept.bufnr, row)
      pcall(vim.api.nvim_buf_set_mark, kept.bufnr, name, row + 1, math.min(col, length), {})
    end
  end
end

---@param kept copydesk.SavedView
---@param ranges copydesk.ByteRange[]
local function restore_view(kept, ranges)
  local view = vim.deepcopy(kept.view)
  local row, col = ranges_of.map_position(ranges, kept.cursor)
  if col ~= view.col and view.curswant < END then
    view.curswant = math.max(0, view.curswant + col - view.col)
  end
  view.lnum, view.col = row + 1, col
  -- A window that shows the first line keeps showing it while the cursor fits below.
  if view.topline > 1 or view.lnum > vim.api.nvim_win_get_height(0) then
    view.topline = ranges_of.map_position(ranges, kept.top) + 1
  end
  if not vim.deep_equal(vim.fn.winsaveview(), view) then
    vim.fn.winrestview(view)
  end
end

--- Only a motion can set the other end of a selection. In select mode a typed key would replace the text.
---@param row integer
---@param col integer
local function restore_visual(row, col)
  local now = vim.fn.getpos("v")
  if now[2] == row + 1 and now[3] == col + 1 then
    return
  end
  local is_select = vim.api.nvim_get_mode().mode:find("^[sS\19]")
  local view = vim.fn.winsaveview()
  vim.cmd(is_select and "normal! \7o" or "normal! o")
  vim.fn.winrestview({ lnum = row + 1, col = col })
  vim.cmd(is_select and "normal! o\7" or "normal! o")
  vim.fn.winrestview(view)
end

--- Restores the state, after an edit of these ranges.
---@param kept copydesk.EditorState
---@param ranges copydesk.ByteRange[]
function M.restore(kept, ranges)
  restore_marks(kept, ranges)
  for window, view in pairs(kept.views) do
    if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == kept.bufnr then
      vim.api.nvim_win_call(window, function()
        restore_view(view, ranges)
      end)
    end
  end
  if kept.visual and vim.api.nvim_get_mode().mode:find(MODES) then
    restore_visual(ranges_of.map_position(ranges, kept.visual))
  end
end

return M
