--- Shows the end of the transcript in a window that follows it.
---
--- Contract: every row of a wrapped last line is shown, and as many rows above it as the window has. The cursor stays.

local M = {}

--- Fills the rows that Neovim leaves empty: it shows a part of a line at the top only with 'smoothscroll', so that a paragraph
--- which is higher than the window would disappear as soon as a line stands below it.
local function fill()
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local top = vim.fn.line("w0")
  local free = info.height - vim.api.nvim_win_text_height(0, { start_row = top - 1 }).all
  if free <= 0 or top == 1 or vim.fn.foldclosed(top - 1) ~= -1 then
    return
  end
  local high = vim.api.nvim_win_text_height(0, { start_row = top - 2, end_row = top - 2 }).all
  if high > free then
    vim.wo[0][0].smoothscroll = true
    vim.fn.winrestview({ topline = top - 1, skipcol = (high - free) * (info.width - info.textoff) })
  end
end

---@param window integer Its cursor is in the last line.
function M.show(window)
  vim.api.nvim_win_call(window, function()
    -- With it, `zb` shows only the rows up to the cursor.
    if vim.wo.smoothscroll then
      vim.wo[0][0].smoothscroll = false
    end
    vim.cmd("normal! zb")
    fill()
  end)
end

return M
