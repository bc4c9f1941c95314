--- Reveals virtual rows above the first line. Neovim shows them only after scrolling up, so users would miss them.
---
--- Contract: a window at its first line shows the rows above it, up to half of its height; scrolling away works as usual. No cursor
--- moves.

local M = {}

---@param window integer
---@param rows integer
local function reveal(window, rows)
  -- Fails under textlock, while an expression waits for a key.
  pcall(vim.api.nvim_win_call, window, function()
    local view = vim.fn.winsaveview()
    local wanted = math.min(rows, math.floor(vim.api.nvim_win_get_height(window) / 2))
    if view.topline == 1 and view.topfill < wanted and not vim.wo[window].diff then
      vim.fn.winrestview({ topline = 1, topfill = wanted })
    end
  end)
end

--- Reveals new rows above the first line of a buffer.
---@param bufnr integer
function M.show(bufnr)
  local rows = require("copydesk.review.draw").above_first(bufnr)
  if rows == 0 then
    return
  end
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    reveal(window, rows)
  end
end

--- Reveals the rows in windows that were scrolled to the first line.
---@param windows table<string, table> As in `v:event` of |WinScrolled|.
function M.scrolled(windows)
  for id, moved in pairs(windows) do
    local window = tonumber(id)
    if window and (moved.topline or 0) ~= 0 and vim.api.nvim_win_is_valid(window) then
      local rows = require("copydesk.review.draw").above_first(vim.api.nvim_win_get_buf(window))
      if rows > 0 then
        reveal(window, rows)
      end
    end
  end
end

return M
