--- Status lines and window bars.
---
--- Contract: they are drawn a frame after the last request at the latest, and not together with what the user waits for. `:redrawstatus`
--- also draws what else has changed on the screen, which takes 30 ms and more where a line has 5 MB.

local M = {}

local is_planned = false

--- Has them drawn anew, in all windows: the conversation seldom has the focus.
function M.redraw()
  if is_planned then
    return
  end
  is_planned = true
  vim.defer_fn(function()
    is_planned = false
    pcall(vim.cmd.redrawstatus, { bang = true })
  end, require("copydesk.time_limits").frame)
end

return M
