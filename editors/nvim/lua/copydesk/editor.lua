--- The state of the screen for the daemon: the selection, the open documents, and showing a place.
---
--- Contract: only documents in non-floating windows count; the daemon never sees the conversation and other panels. Queries change
--- nothing. Showing takes the focus only on request; otherwise it does not touch the focused window.

local buffer = require("copydesk.buffer")

local M = {}

---@param window integer
---@return boolean
local function has_document(window)
  return vim.api.nvim_win_get_config(window).relative == ""
    and not vim.wo[window].previewwindow
    and buffer.is_document(vim.api.nvim_win_get_buf(window))
end

--- The document window that has the focus, or last had it.
---@return integer?
local function last_window()
  local window = require("copydesk.chat").origin()
  return window and has_document(window) and window or nil
end

--- The selection, or the cursor position. The last selection still counts while the cursor is inside it.
---@return copydesk.SelectionResult
function M.selection()
  local window = last_window()
  if not window then
    return {}
  end
  local bufnr, position = vim.api.nvim_win_get_buf(window), require("copydesk.position")
  local found = require("copydesk.selection").of(bufnr, window)
  if found and found.is_at_cursor then
    return { selection = { uri = buffer.uri(bufnr), range = found.range, text = found.text } }
  end
  local cursor = vim.api.nvim_win_get_cursor(window)
  local start = { line = cursor[1] - 1, character = cursor[2] }
  local lines = position.lines_of(bufnr)
  local range = position.range({ start = start }, lines, "utf-8", position.encoding())
  return { selection = { uri = buffer.uri(bufnr), range = range, text = "" } }
end

--- The open documents, most recently used first.
---@return copydesk.OpenFilesResult
function M.open_files()
  local window = last_window()
  local active = window and vim.api.nvim_win_get_buf(window)
  local before = window and vim.api.nvim_win_call(window, function()
    return vim.fn.bufnr("#")
  end)
  local infos = vim.tbl_filter(function(info)
    return buffer.is_document(info.bufnr)
  end, vim.fn.getbufinfo({ buflisted = 1, bufloaded = 1 }))
  -- Neovim counts in seconds; within one second it only knows the last two.
  local function rank(info)
    return info.bufnr == active and 2 or info.bufnr == before and 1 or 0
  end
  table.sort(infos, function(a, b)
    if rank(a) ~= rank(b) then
      return rank(a) > rank(b)
    elseif a.lastused ~= b.lastused then
      return a.lastused > b.lastused
    end
    return a.bufnr < b.bufnr
  end)
  local shown = {} ---@type table<integer, true>
  for _, each in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    shown[vim.api.nvim_win_get_buf(each)] = true
  end
  return {
    files = vim.tbl_map(function(info)
      local filetype = vim.bo[info.bufnr].filetype
      return {
        uri = buffer.uri(info.bufnr),
        active = info.bufnr == active,
        visible = shown[info.bufnr] or false,
        dirty = info.changed == 1,
        language = filetype ~= "" and filetype or nil,
      }
    end, infos),
  }
end

--- Whether a window may show another document.
---@param window integer
---@return boolean
local function can_change(window)
  local bufnr = vim.api.nvim_win_get_buf(window)
  local hidden = vim.bo[bufnr].bufhidden
  local is_hidden = hidden == "hide" or hidden == "" and vim.o.hidden
  local is_left_behind = vim.bo[bufnr].modified and not is_hidden and #vim.fn.win_findbuf(bufnr) == 1
  local options = vim.wo[window]
  return has_document(window) and not options.winfixbuf and not options.diff and not is_left_behind
end

--- Opens a window for a document that is put there later.
---@param beside integer
---@return integer?
local function new_window(beside)
  local empty = vim.api.nvim_create_buf(false, true)
  vim.bo[empty].bufhidden = "wipe"
  local is_floating = vim.api.nvim_win_get_config(beside).relative ~= ""
  local config = { split = "above", win = is_floating and -1 or beside }
  local ok, window = pcall(vim.api.nvim_open_win, empty, false, config)
  if not ok then
    vim.api.nvim_buf_delete(empty, { force = true })
    return nil
  end
  return window
end

--- The window in which to show a buffer.
---@param bufnr integer
---@param focus boolean
---@return integer? window
---@return boolean? is_new
local function window_for(bufnr, focus)
  local current, last = vim.api.nvim_get_current_win(), last_window()
  local candidates = vim.api.nvim_tabpage_list_wins(0)
  if last then
    table.insert(candidates, 1, last)
  end
  local function is_free(window)
    return focus or window ~= current
  end
  for _, window in ipairs(candidates) do
    if is_free(window) and has_document(window) and vim.api.nvim_win_get_buf(window) == bufnr then
      return window
    end
  end
  for _, window in ipairs(candidates) do
    if is_free(window) and can_change(window) then
      return window
    end
  end
  return new_window(last or current), true
end

--- Puts a document into a window. Unlike the API, `:buffer` asks about swap files, so that we can answer, and goes back if the file is
--- not opened. Autocommands of the opening may fail.
---@param window integer
---@param bufnr integer
---@param answer "o"|"q"
---@return boolean is_there
local function put_document(window, bufnr, answer)
  if vim.api.nvim_win_get_buf(window) ~= bufnr then
    require("copydesk.quiet_open").with_swap_answer(answer, vim.api.nvim_win_call, window, function()
      vim.cmd(("silent! buffer %d"):format(bufnr))
    end)
  end
  return vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == bufnr
end

--- The buffer of a document, created if the file exists. Folders and special files are not shown: other plugins would browse a
--- folder, and Neovim would block on a pipe.
---@param uri string
---@return integer?
local function buffer_for(uri)
  local bufnr = buffer.of(uri)
  if bufnr and vim.api.nvim_buf_is_loaded(bufnr) then
    return bufnr
  end
  local is_file, name = pcall(vim.uri_to_fname, uri)
  local stat = is_file and vim.startswith(uri, "file:") and vim.uv.fs_stat(name)
  if stat and stat.type == "file" then
    return bufnr or vim.fn.bufadd(name)
  end
end

--- Goes to a range in the current window.
---@param range copydesk.WireRange
local function go_to(range)
  local position = require("copydesk.position")
  local lines = position.lines_of(vim.api.nvim_get_current_buf())
  local start = position.position(range.start, lines, position.encoding(), "utf-8")
  local row = math.min(start.line, vim.api.nvim_buf_line_count(0) - 1)
  local top, bottom = vim.fn.line("w0"), vim.fn.line("w$")
  vim.api.nvim_win_set_cursor(0, { row + 1, math.min(start.character, #(lines(row) or "")) })
  vim.cmd("normal! zv")
  -- Do not scroll if the range is visible.
  if row + 1 < top or math.min(range["end"].line, row + bottom - top) + 1 > bottom then
    vim.cmd("normal! zz")
  end
end

--- Whether the user is in the middle of something that would continue in another window: a command line, an operator, a prompt.
---@return boolean
local function is_mid_command()
  local mode = vim.api.nvim_get_mode().mode
  return mode:find("^[cr!]") ~= nil or mode:find("^no") ~= nil
end

--- Enters a window. Leaves insert and visual mode first, so that typing and selecting do not continue there.
---@param window integer
local function enter(window)
  if window ~= vim.api.nvim_get_current_win() then
    vim.cmd("stopinsert")
  end
  if vim.fn.mode():find("^[vV\22sS\19]") then
    vim.cmd("normal! \27")
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
end

---@param bufnr integer
---@param params copydesk.ShowParams
---@return boolean
local function show(bufnr, params)
  local focus = params.focus == true and not is_mid_command()
  local window, is_new = window_for(bufnr, focus)
  if not window then
    return false
  end
  if focus then
    enter(window)
  end
  if not put_document(window, bufnr, "o") then
    if is_new then
      pcall(vim.api.nvim_win_close, window, true)
    end
    return false
  end
  vim.bo[bufnr].buflisted = true
  if params.range then
    vim.api.nvim_win_call(window, function()
      go_to(params.range)
    end)
  end
  return true
end

--- Shows a document, at a range if one is given. A file that has a swap file opens read-only. If the user is in the middle of a
--- command, the focus stays.
---@param params copydesk.ShowParams
---@return copydesk.ShowResult
function M.show(params)
  local bufnr = buffer_for(params.uri)
  if not bufnr then
    return { shown = false }
  end
  return { shown = show(bufnr, params) }
end

--- Shows a line of a file in a window without the focus, unless that would abandon unsaved text or meet a swap file.
---@param window integer
---@param path string
---@param line? integer From 1.
function M.show_beside(window, path, line)
  local bufnr = window ~= vim.api.nvim_get_current_win() and buffer_for(vim.uri_from_fname(path))
  if not bufnr then
    return
  end
  local is_there = vim.api.nvim_win_get_buf(window) == bufnr
  if is_there or can_change(window) and put_document(window, bufnr, "q") then
    vim.bo[bufnr].buflisted = true
    local start = { line = math.max(0, math.floor((line or 1) - 1)), character = 0 }
    vim.api.nvim_win_call(window, function()
      go_to({ start = start, ["end"] = start })
    end)
  end
end

return M
