--- The layout for a buffer's hunks, from its windows: row width, tab width, diff mode.
---
--- Contract: pure. If several windows show a buffer, the narrowest decides.

---@class copydesk.HunkLayout
---@field width integer
---@field fill integer
---@field tabstop integer
---@field is_diff boolean

local M = {}

--- The columns before the text of a window, including signs that are about to be drawn.
---@param window integer
---@param info table As from `getwininfo`.
---@return integer
local function margin(window, info)
  local options = vim.wo[window]
  local columns = tonumber(options.foldcolumn) or 0
  if options.number or options.relativenumber then
    local digits = #tostring(vim.api.nvim_buf_line_count(info.bufnr))
    columns = columns + math.max(options.numberwidth, digits + 1)
  end
  local has_signs = next(require("copydesk.config").get().review.signs) ~= nil
  if has_signs and options.signcolumn:find("^[ay]") then
    columns = columns + 2
  end
  return math.max(info.textoff, options.statuscolumn == "" and columns or 0)
end

--- The common layout for all windows of a buffer.
---@param bufnr integer
---@return copydesk.HunkLayout
function M.of(bufnr)
  local layout = { width = math.huge, fill = 0, tabstop = vim.bo[bufnr].tabstop, is_diff = false }
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    local width = info.width - margin(window, info)
    layout.width, layout.fill = math.min(layout.width, width), math.max(layout.fill, info.width)
    layout.is_diff = layout.is_diff or vim.wo[window].diff
  end
  layout.width = layout.width == math.huge and vim.o.columns or math.max(10, layout.width)
  layout.fill = math.max(layout.fill, layout.width)
  return layout
end

return M
