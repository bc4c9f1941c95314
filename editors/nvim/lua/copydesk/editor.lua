--- What the editor has on its screen: what the person has selected, which documents are open, and showing a
--- place.
---
--- Contract: only documents count, in windows that do not float: the conversation and other panels are not
--- there for the desk. Asking changes nothing. Showing never takes the focus unasked, and then never touches
--- the window that has it.

local buffer = require("copydesk.buffer")

local M = {}

---@param window integer
---@return boolean
local function has_document(window)
  return vim.api.nvim_win_get_config(window).relative == ""
    and not vim.wo[window].previewwindow
    and buffer.is_document(vim.api.nvim_win_get_buf(window))
end

--- The window with a document that has the focus, or had it last.
---@return integer?
local function last_window()
  local window = require("copydesk.chat").origin()
  return window and has_document(window) and window or nil
end

--- What the person has selected, or where the cursor is. What was selected last is still meant while the cursor has not left
--- it.
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

--- The documents that are open, the one that was used last first.
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
  -- Neovim counts in seconds; of those that were used within one, it knows the last two.
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

--- Whether another document may be put into a window.
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

--- A window of its own for a document, which is still to come.
---@param beside integer
---@return integer?
local function new_window(beside)
  local empty = vim.api.nvim_create_buf(false, true)
  vim.bo[empty].bufhidden = "wipe"
  local is_floating = vim.api.nvim_win_get_config(beside).relative ~= ""
  local config = { split = "above", win = is_floating and -1 or beside }
  local went, window = pcall(vim.api.nvim_open_win, empty, false, config)
  if not went then
    vim.api.nvim_buf_delete(empty, { force = true })
    return nil
  end
  return window
end

--- The window to show a buffer in.
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

--- Puts a document into a window. Unlike the API, the command asks about swap files, so that it can be answered, and goes back where
--- the file is not opened. What else is bound to opening a file may fail.
---@param window integer
---@param bufnr integer
---@param answer "o"|"q"
---@return boolean is_there
local function put(window, bufnr, answer)
  if vim.api.nvim_win_get_buf(window) ~= bufnr then
    require("copydesk.opening").unasked(answer, vim.api.nvim_win_call, window, function()
      vim.cmd(("silent! buffer %d"):format(bufnr))
    end)
  end
  return vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == bufnr
end

--- The buffer of a document, made where its file is there. Folders and whatever else is no file are not shown: other plugins
--- take them for something to be browsed, and Neovim waits for what comes out of a pipe.
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
  -- What can be seen already does not move.
  if row + 1 < top or math.min(range["end"].line, row + bottom - top) + 1 > bottom then
    vim.cmd("normal! zz")
  end
end

--- Whether the person is in the middle of something that would go on in another window: a command line, an operator, an answer
--- to a question.
---@return boolean
local function is_in_the_middle()
  local mode = vim.api.nvim_get_mode().mode
  return mode:find("^[cr!]") ~= nil or mode:find("^no") ~= nil
end

--- Goes to a window. What was being typed in another one does not go on there, and no selection grows.
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
  local focus = params.focus == true and not is_in_the_middle()
  local window, is_new = window_for(bufnr, focus)
  if not window then
    return false
  end
  if focus then
    enter(window)
  end
  if not put(window, bufnr, "o") then
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

--- Shows a document, at a range where there is one. One that another Neovim is at, or was, is opened read-only. Who is in the
--- middle of a command keeps the focus.
---@param params copydesk.ShowParams
---@return copydesk.ShowResult
function M.show(params)
  local bufnr = buffer_for(params.uri)
  if not bufnr then
    return { shown = false }
  end
  return { shown = show(bufnr, params) }
end

--- Shows a line of a file in a window that has not the focus, if nothing stands in the way: a text that would be left behind, or
--- another Neovim that is at the file.
---@param window integer
---@param path string
---@param line? integer From 1.
function M.show_beside(window, path, line)
  local bufnr = window ~= vim.api.nvim_get_current_win() and buffer_for(vim.uri_from_fname(path))
  if not bufnr then
    return
  end
  local is_there = vim.api.nvim_win_get_buf(window) == bufnr
  if is_there or can_change(window) and put(window, bufnr, "q") then
    vim.bo[bufnr].buflisted = true
    local start = { line = math.max(0, math.floor((line or 1) - 1)), character = 0 }
    vim.api.nvim_win_call(window, function()
      go_to({ start = start, ["end"] = start })
    end)
  end
end

return M
