--- Status lines and window bars.

local M = {}

--- Draws them anew, in all windows. `:redrawstatus` would draw the whole screen at once, which takes 30 ms and more where a line
--- has 5 MB.
function M.redraw()
  vim.api.nvim__redraw({ statusline = true, winbar = true })
end

return M
