--- What the windows of a buffer make of a look: how wide a row may be, how wide a tab is, whether two texts are compared.
---
--- Contract: pure. A buffer that several windows show looks as the narrowest of them needs it.

---@class copydesk.Look
---@field width integer
---@field fill integer
---@field tabstop integer
---@field is_diff boolean

local M = {}

--- How many columns a window has before its text, the signs that are about to come included.
---@param window integer
---@param info table What `getwininfo` says of it.
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

--- How the windows of a buffer want it, all of them together.
---@param bufnr integer
---@return copydesk.Look
function M.of(bufnr)
  local look = { width = math.huge, fill = 0, tabstop = vim.bo[bufnr].tabstop, is_diff = false }
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    local width = info.width - margin(window, info)
    look.width, look.fill = math.min(look.width, width), math.max(look.fill, info.width)
    look.is_diff = look.is_diff or vim.wo[window].diff
  end
  look.width = look.width == math.huge and vim.o.columns or math.max(10, look.width)
  look.fill = math.max(look.fill, look.width)
  return look
end

return M
