--- Shows a read-only text in a float, which `q` closes.
---
--- Contract: no other window changes its size or text. The buffer is no document: it is unlisted and is wiped when its window is left.

local M = {}

---@param lines string[]
---@return integer
local function width_of(lines)
  local widest = 30
  for _, line in ipairs(lines) do
    widest = math.max(widest, vim.fn.strdisplaywidth(line))
  end
  return math.min(widest, math.max(20, vim.o.columns - 4))
end

--- How many rows the lines take when wrapped at a width.
---@param lines string[]
---@param width integer
---@return integer
local function rows_of(lines, width)
  local rows = 0
  for _, line in ipairs(lines) do
    rows = rows + math.max(1, math.ceil(vim.fn.strdisplaywidth(line) / width))
  end
  return math.min(rows, math.max(1, vim.o.lines - 6))
end

--- Whether a window can be opened now; warns the user if not.
---@return boolean
function M.can_open()
  local is_possible = vim.fn.getcmdwintype() == ""
  if not is_possible then
    local text = "cannot open a window from the command-line window; leave it with <C-c>"
    require("copydesk.message").warn(text)
  end
  return is_possible
end

--- Opens a window in the middle of the screen, with the focus.
---@param buffer integer
---@param width integer
---@param height integer
---@param title string
---@return integer window
function M.open_centered(buffer, width, height, title)
  local window = vim.api.nvim_open_win(buffer, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - height) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = (" %s "):format(title),
  })
  vim.wo[window].winhighlight = "FloatTitle:CopydeskTitle"
  return window
end

--- Shows lines under a title.
---@param title string
---@param lines string[]
---@return integer? buffer Nil if no window can be opened now.
function M.show(title, lines)
  if not M.can_open() then
    return nil
  end
  lines = vim.tbl_map(function(line)
    return (line:gsub("%c", " "))
  end, lines)
  local older = vim.fn.bufnr(("^copydesk://%s$"):format(title))
  if older > 0 then
    vim.api.nvim_buf_delete(older, { force = true })
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buffer, "copydesk://" .. title)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = "wipe", false
  local width = width_of(lines)
  local height = rows_of(lines, width)
  local window = M.open_centered(buffer, width, height, "Copydesk " .. title)
  local options = vim.wo[window]
  options.wrap, options.linebreak, options.breakindent = true, true, true
  local function close()
    pcall(vim.api.nvim_win_close, window, true)
  end
  for _, key in ipairs({ "q", "<Esc>" }) do
    vim.keymap.set("n", key, close, { buffer = buffer, nowait = true, desc = "Close" })
  end
  vim.api.nvim_create_autocmd("WinLeave", { buffer = buffer, once = true, callback = vim.schedule_wrap(close) })
  return buffer
end

return M
