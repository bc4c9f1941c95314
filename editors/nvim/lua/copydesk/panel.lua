--- A list in a window below the others, whose rows stand for items: hunks, turns.
---
--- Contract: an ordinary window, one per tab page that opened it; its buffer is no document and is wiped with its last window. When
--- the list changes, the cursor stays on its item. Moving through the list may preview items in a document window; `q` restores that
--- window.

local limits = require("copydesk.time_limits")

local M = {}

local marks = vim.api.nvim_create_namespace("copydesk.panel")

---@class copydesk.PanelRow
---@field key string Identifies the item across redraws.
---@field chunks string[][] Pieces of text, each with its highlight group.
---@field item? any The item for the keys; nil if they do nothing on this row.

---@class copydesk.PanelKey
---@field lhs string
---@field modes string[]
---@field says string
---@field run fun(items: any[]) Runs in a coroutine with the item under the cursor, or the selected ones.

---@class copydesk.Panel
---@field name string The buffer name after `copydesk://` and the filetype after `copydesk-`.
---@field title string
---@field help string The keys, shown above the list.
---@field rows fun(): copydesk.PanelRow[]
---@field keys copydesk.PanelKey[]
---@field show? fun(item: any) Previews an item in a document window, which is current during the call.
---@field buffer? integer
---@field drawn? copydesk.PanelRow[]
---@field before? table<integer, { window: integer, bufnr: integer, view: table }> What the document window showed, by list window.

---@param panel copydesk.Panel
---@return integer[]
local function windows_of(panel)
  if panel.buffer and vim.api.nvim_buf_is_valid(panel.buffer) then
    return vim.fn.win_findbuf(panel.buffer)
  end
  return {}
end

--- The window in this tab page.
---@param panel copydesk.Panel
---@return integer?
local function window_of(panel)
  for _, window in ipairs(windows_of(panel)) do
    if vim.api.nvim_win_get_tabpage(window) == vim.api.nvim_get_current_tabpage() then
      return window
    end
  end
end

---@param panel copydesk.Panel
---@return boolean
function M.is_open(panel)
  return #windows_of(panel) > 0
end

--- The cursor's line after the rows changed.
---@param panel copydesk.Panel
---@param rows copydesk.PanelRow[]
---@param line integer
---@return integer
local function line_after(panel, rows, line)
  local was = panel.drawn and panel.drawn[line]
  for number, row in ipairs(rows) do
    if was and row.key == was.key then
      return number
    end
  end
  return math.min(line, #rows)
end

--- Writes the rows into the buffer, with highlights.
---@param buffer integer
---@param rows copydesk.PanelRow[]
local function draw(buffer, rows)
  local lines = {}
  for number, row in ipairs(rows) do
    local text = ""
    for _, chunk in ipairs(row.chunks) do
      text = text .. chunk[1]
    end
    lines[number] = text
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  for number, row in ipairs(rows) do
    local column = 0
    for _, chunk in ipairs(row.chunks) do
      local options = { end_col = column + #chunk[1], hl_group = chunk[2] }
      vim.api.nvim_buf_set_extmark(buffer, marks, number - 1, column, options)
      column = column + #chunk[1]
    end
  end
end

---@param one copydesk.PanelRow[]
---@param other? copydesk.PanelRow[]
---@return boolean
local function are_equal(one, other)
  for number = 1, math.max(#one, other and #other or 0) do
    local row, was = one[number], other and other[number]
    if not row or not was or row.key ~= was.key or not vim.deep_equal(row.chunks, was.chunks) then
      return false
    end
  end
  return true
end

--- Redraws the list, if it is open.
---@param panel copydesk.Panel
function M.update(panel)
  local windows, buffer = windows_of(panel), panel.buffer
  if #windows == 0 or not buffer then
    return
  end
  local rows = panel.rows()
  if are_equal(rows, panel.drawn) then
    panel.drawn = rows
    return
  end
  local views = {}
  for _, window in ipairs(windows) do
    local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    local line = math.max(1, line_after(panel, rows, view.lnum))
    view.topline, view.lnum = math.max(1, view.topline + line - view.lnum), line
    views[window] = view
  end
  local ok, problem = pcall(draw, buffer, rows)
  vim.bo[buffer].modifiable = false
  if not ok and tostring(problem):find("E565", 1, true) then
    -- Textlock: an expression that waits for a key is being evaluated.
    vim.defer_fn(function()
      M.update(panel)
    end, limits.textlock_retry)
    return
  elseif not ok then
    error(problem, 0)
  end
  panel.drawn = rows
  for window, view in pairs(views) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(view)
    end)
  end
end

--- Moves the cursor to a row, if it exists.
---@param panel copydesk.Panel
---@param key string
function M.go(panel, key)
  local window = window_of(panel)
  for number, row in ipairs(window and panel.drawn or {}) do
    if row.key == key then
      vim.api.nvim_win_set_cursor(window, { number, 0 })
      return
    end
  end
end

--- Previews the item under the cursor. Errors are ignored.
---@param panel copydesk.Panel
local function show(panel)
  local row = panel.drawn and panel.drawn[vim.api.nvim_win_get_cursor(0)[1]]
  local before = panel.before and panel.before[vim.api.nvim_get_current_win()]
  local window = before and before.window
  if panel.show and row and row.item and window and vim.api.nvim_win_is_valid(window) then
    pcall(vim.api.nvim_win_call, window, function()
      panel.show(row.item)
    end)
  end
end

--- Keeps what the document window shows now.
---@param panel copydesk.Panel
function M.keep(panel)
  if panel.before then
    panel.before[window_of(panel) or 0] = nil
  end
end

---@param panel copydesk.Panel
local function close(panel)
  local window = window_of(panel)
  local before = panel.before and panel.before[window or 0]
  M.keep(panel)
  if before and vim.api.nvim_win_is_valid(before.window) and vim.api.nvim_buf_is_valid(before.bufnr) then
    pcall(vim.api.nvim_win_call, before.window, function()
      vim.cmd(("silent keepjumps keepalt buffer %d"):format(before.bufnr))
      vim.fn.winrestview(before.view)
    end)
  end
  if window then
    pcall(vim.api.nvim_win_close, window, true)
  end
end

--- The item under the cursor, or the selected ones.
---@param panel copydesk.Panel
---@param mode string
---@return any[]
local function chosen(panel, mode)
  local first, last = vim.fn.line("."), vim.fn.line(".")
  if mode == "x" then
    local other = vim.fn.line("v")
    first, last = math.min(first, other), math.max(last, other)
    vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes("<Esc>", true, false, true), "nx", false)
  end
  local items = {}
  for _, row in ipairs(vim.list_slice(panel.drawn or {}, first, last)) do
    items[#items + 1] = row.item
  end
  return items
end

--- Lists the keys.
---@param panel copydesk.Panel
local function help(panel)
  local lines = {}
  local keys = vim.list_extend(vim.list_slice(panel.keys), { { lhs = "q", says = "close the list" } })
  for _, one in ipairs(keys) do
    lines[#lines + 1] = ("%-6s %s"):format(one.lhs, one.says)
  end
  require("copydesk.scratch").show(panel.name .. " keys", lines)
end

---@param panel copydesk.Panel
local function map(panel)
  for _, key in ipairs(panel.keys) do
    for _, mode in ipairs(key.modes) do
      vim.keymap.set(mode, key.lhs, function()
        local items = chosen(panel, mode)
        if #items > 0 then
          require("copydesk.await").run(function()
            key.run(items)
          end)
        end
      end, { buffer = panel.buffer, nowait = true, desc = "Copydesk: " .. key.says })
    end
  end
  vim.keymap.set("n", "q", function()
    close(panel)
  end, { buffer = panel.buffer, nowait = true, desc = "Copydesk: close the list" })
  vim.keymap.set("n", "g?", function()
    help(panel)
  end, { buffer = panel.buffer, nowait = true, desc = "Copydesk: list the keys" })
end

---@param panel copydesk.Panel
local function create(panel)
  panel.drawn, panel.before = nil, {}
  panel.buffer = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(panel.buffer, "copydesk://" .. panel.name)
  vim.bo[panel.buffer].bufhidden, vim.bo[panel.buffer].modifiable = "wipe", false
  vim.bo[panel.buffer].filetype = "copydesk-" .. panel.name
  map(panel)
  -- Nested, because showing an item may read a file.
  vim.api.nvim_create_autocmd("CursorMoved", {
    buffer = panel.buffer,
    nested = true,
    desc = "Copydesk previews the item under the cursor",
    callback = function()
      show(panel)
    end,
  })
end

--- Opens the list and puts the cursor in it.
---@param panel copydesk.Panel
---@param most integer The maximal height of the window.
function M.open(panel, most)
  local window = window_of(panel)
  if not window then
    local origin = require("copydesk.chat").origin()
    local before = origin and {
      window = origin,
      bufnr = vim.api.nvim_win_get_buf(origin),
      view = vim.api.nvim_win_call(origin, vim.fn.winsaveview),
    }
    if not M.is_open(panel) then
      create(panel)
    end
    -- The line with the keys takes one row.
    local height = math.min(most, math.floor(vim.o.lines / 2), #panel.rows() + 1)
    vim.cmd(("botright %dsplit"):format(math.max(2, height)))
    window = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(window, panel.buffer)
    panel.before[window] = before
    local options = vim.wo[window][0]
    options.number, options.relativenumber, options.signcolumn, options.foldcolumn = false, false, "no", "0"
    options.wrap, options.cursorline, options.spell, options.list = false, true, false, false
    options.winfixheight, options.foldenable = true, false
    options.statusline = " " .. panel.title
    options.winbar = ("%%#CopydeskDim# %s  q close"):format(panel.help)
  end
  vim.api.nvim_set_current_win(window)
  M.update(panel)
  show(panel)
end

return M
