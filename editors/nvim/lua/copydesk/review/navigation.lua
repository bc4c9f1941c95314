--- Moves from hunk to hunk, and on to the next file with hunks.
---
--- Contract: the cursor moves only on the user's command. Folds at the hunk open; a visible hunk does not scroll.

local message = require("copydesk.message")

local M = {}

--- The window to move in: the focused one, or the last one with a document.
---@return integer?
local function document_window()
  local current = vim.api.nvim_get_current_win()
  if require("copydesk.buffer").is_document(vim.api.nvim_get_current_buf()) then
    return current
  end
  return require("copydesk.chat").origin()
end

--- Shows a hunk in the current window.
---@param row integer From 0.
---@param count integer
local function show(row, count)
  local top, bottom = vim.fn.line("w0"), vim.fn.line("w$")
  vim.api.nvim_win_set_cursor(0, { row + 1, 0 })
  vim.cmd("normal! ^zv")
  -- Its virtual rows should be visible, too.
  if row + 1 <= top and row > 0 or row + count + 1 > bottom then
    vim.cmd("normal! zz")
  end
  require("copydesk.review.rows_above").show(vim.api.nvim_get_current_buf())
  require("copydesk.review.hint").update()
end

--- Opens a document in the current window, if it is not there.
---@param uri string
---@param is_glance? boolean A preview: leaves no trace, and ignores errors.
---@return boolean
function M.open(uri, is_glance)
  local bufnr = require("copydesk.buffer").of(uri)
  if bufnr and bufnr == vim.api.nvim_get_current_buf() then
    return true
  end
  local is_file, name = pcall(vim.uri_to_fname, uri)
  if not bufnr and (not is_file or is_glance and not vim.uv.fs_stat(name)) then
    return false
  end
  local mods = { silent = true, keepjumps = is_glance, keepalt = is_glance }
  local ok, problem
  if bufnr then
    ok, problem = pcall(vim.cmd.buffer, { args = { tostring(bufnr) }, mods = mods })
  else
    local args = { vim.fn.fnamemodify(name, ":.") }
    ok, problem = pcall(vim.cmd.edit, { args = args, magic = { file = false, bar = false }, mods = mods })
  end
  if not ok and not is_glance then
    message.error((tostring(problem):gsub("^.-:E", "E")))
  end
  return ok
end

--- Shows a hunk of the current buffer.
---@param one copydesk.ReviewState
---@param hunk? copydesk.HunkInfo The first one if nil.
function M.show_hunk(one, hunk)
  for _, found in ipairs(require("copydesk.review.draw").all(vim.api.nvim_get_current_buf())) do
    if found.one.session == one.session and found.one.id == one.id and (not hunk or found.hunk.hunk == hunk.hunk) then
      return show(found.first, found.count)
    end
  end
  if hunk then
    show(math.min(hunk.line, vim.api.nvim_buf_line_count(0) - 1), 0)
  end
end

--- Goes to a hunk, in a document window.
---@param one copydesk.ReviewState
---@param hunk? copydesk.HunkInfo The first one if nil.
function M.go_to(one, hunk)
  local shown_in = document_window()
  if shown_in then
    vim.api.nvim_set_current_win(shown_in)
  else
    vim.cmd("topleft split")
  end
  vim.cmd("normal! m'")
  if M.open(one.uri) then
    M.show_hunk(one, hunk)
  end
end

--- The documents with undecided hunks that can be opened, by path.
---@return string[]
local function documents()
  local uris, seen = {}, {}
  for _, one in ipairs(require("copydesk.review.state").all()) do
    local is_there = one.total > 0 and not (one.file and one.file.kind == "deleted")
    if is_there and not seen[one.uri] then
      seen[one.uri] = true
      uris[#uris + 1] = one.uri
    end
  end
  return uris
end

--- The index of a buffer's document; 0 if it has none.
---@param uris string[]
---@param bufnr integer
---@return integer
---@return boolean is_it
local function number_of(uris, bufnr)
  for number, uri in ipairs(uris) do
    if require("copydesk.buffer").of(uri) == bufnr then
      return number, true
    end
  end
  return 0, false
end

--- The hunk after or before a row; the first or last one if there is no row.
---@param bufnr integer
---@param row? integer
---@param step integer
---@return copydesk.LocatedHunk?
local function hunk_beside(bufnr, row, step)
  local all = require("copydesk.review.draw").all(bufnr)
  local first, last, increment = 1, #all, 1
  if step < 0 then
    first, last, increment = #all, 1, -1
  end
  for number = first, last, increment do
    local found = all[number]
    if not row or step > 0 and found.first > row or step < 0 and found.first < row then
      return found
    end
  end
end

--- Moves by one hunk.
---@param step 1|-1
---@return boolean
local function move_one(step)
  local bufnr, row = vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] - 1
  local here = require("copydesk.review.draw").at(bufnr, row)
  if here and step < 0 then
    row = here.first
  elseif here and here.count == 0 then
    row = math.max(row, here.first)
  end
  local found = hunk_beside(bufnr, row, step)
  if found then
    show(found.first, found.count)
    return true
  end
  local uris = documents()
  local number = number_of(uris, bufnr)
  for offset = 1, #uris do
    local uri = uris[(math.max(number, step < 0 and 1 or 0) - 1 + step * offset) % #uris + 1]
    if M.open(uri) then
      found = hunk_beside(vim.api.nvim_get_current_buf(), nil, step)
      if found then
        show(found.first, found.count)
        return true
      end
    end
  end
  return false
end

--- Moves by several hunks.
---@param steps integer
---@param is_quiet? boolean Say nothing if there is none.
function M.step(steps, is_quiet)
  local shown_in = document_window()
  if #documents() == 0 or not shown_in then
    local is_whole = require("copydesk.review").count() > 0
    local what = is_whole and " except whole files; `:Copydesk review` lists them" or ""
    return is_quiet or message.info("nothing is undecided" .. what)
  end
  vim.api.nvim_set_current_win(shown_in)
  vim.cmd("normal! m'")
  for _ = 1, math.min(math.abs(steps), 1000) do
    if not move_one(steps > 0 and 1 or -1) then
      return is_quiet or message.info("the undecided hunks cannot be shown; `:Copydesk review` lists them")
    end
  end
end

return M
