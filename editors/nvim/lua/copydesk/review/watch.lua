--- Redraws hunks when something besides them changes: window, size, text.
---
--- Contract: costs nothing in buffers without hunks. The keys are mapped while a buffer has hunks.

local draw = require("copydesk.review.draw")
local limits = require("copydesk.time_limits")

local M = {}

--- Maps or unmaps the keys of a buffer.
---@param bufnr integer
---@param has_hunks boolean
function M.buffer(bufnr, has_hunks)
  if has_hunks then
    require("copydesk.review.keys").map(bufnr)
  else
    require("copydesk.review.keys").unmap(bufnr)
  end
end

---@type table<integer, integer> When the user last typed in each buffer.
local typed = {}

--- Whether the user may be typing in a buffer, so that the daemon may lag behind.
---@param bufnr integer
---@return boolean
function M.is_typing(bufnr)
  return typed[bufnr] ~= nil and vim.uv.now() - typed[bufnr] < limits.typing
end

---@param bufnr integer
local function redraw(bufnr)
  require("copydesk.review").draw(bufnr)
end

local function redraw_all()
  for _, bufnr in ipairs(draw.buffers()) do
    redraw(bufnr)
    require("copydesk.review.rows_above").show(bufnr)
  end
  require("copydesk.review.hint").update()
end

--- Registers the autocommands.
function M.start()
  local group = vim.api.nvim_create_augroup("copydesk.review", {})
  ---@param events string|string[]
  ---@param run fun(event: table)
  ---@param pattern? string
  local function on(events, run, pattern)
    vim.api.nvim_create_autocmd(events, { group = group, pattern = pattern, desc = "Copydesk's hunks", callback = run })
  end
  on({ "BufReadPost", "FileChangedShellPost", "BufFilePost" }, function(event)
    -- The text was replaced.
    draw.forget(event.buf)
    redraw(event.buf)
    M.buffer(event.buf, draw.has(event.buf))
  end)
  on({ "TextChanged", "TextChangedI", "TextChangedP" }, function(event)
    if not require("copydesk.apply").is_last(event.buf) then
      typed[event.buf] = vim.uv.now()
    end
  end)
  on({ "BufUnload", "BufWipeout" }, function(event)
    typed[event.buf] = nil
    require("copydesk.apply").forget(event.buf)
    draw.forget(event.buf)
    require("copydesk.review.keys").unmap(event.buf)
  end)
  on("BufWinEnter", function(event)
    redraw(event.buf)
    require("copydesk.review.rows_above").show(event.buf)
  end)
  on({ "WinResized", "VimResized" }, redraw_all)
  -- The event fires before the window is closed.
  on("WinClosed", vim.schedule_wrap(redraw_all))
  on("OptionSet", vim.schedule_wrap(redraw_all), "diff,tabstop,number,relativenumber,numberwidth,foldcolumn,signcolumn")
  on("WinScrolled", function()
    require("copydesk.review.rows_above").scrolled(vim.v.event)
  end)
  on({ "CursorMoved", "BufEnter", "WinEnter" }, function()
    require("copydesk.review.hint").update()
  end)
  -- The mode is set only after the event.
  on("ModeChanged", vim.schedule_wrap(function()
    require("copydesk.review.hint").update()
  end), "*:[iRn]*")
end

return M
