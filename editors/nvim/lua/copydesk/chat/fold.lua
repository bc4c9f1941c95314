--- Folds of the transcript: they follow its text in every mode, and a closed one fits into its row.
---
--- Contract: changes nothing but folds. The cursor and the mode of the user's window stay.

local M = {}

---@type fun()? The change that runs in Normal mode.
local waiting
---@type string?
local keys

--- Runs the change that waits. Only for the keys of `M.following`.
function M.run()
  local change = waiting
  waiting = nil
  if change then
    change()
  end
end

--- Runs a change of a window's text so that the folds of its windows follow. In Insert mode Neovim updates no folds, also not those
--- of other windows, and does not make up for it later: a call would stay unfolded for good if its output came while the user typed.
---@param window? integer A window that shows the text.
---@param change fun()
function M.following(window, change)
  if not window or not vim.fn.mode():find("^[iR]") then
    return change()
  end
  keys = keys or vim.api.nvim_replace_termcodes("<Cmd>lua require('copydesk.chat.fold').run()<CR>", true, true, true)
  local went, problem = true, nil
  waiting = function()
    went, problem = pcall(change)
  end
  -- In that window, because Normal mode would move a cursor that stands behind the end of a line.
  pcall(vim.api.nvim_win_call, window, function()
    vim.cmd("normal! " .. keys)
  end)
  -- `:normal` may be forbidden just now.
  M.run()
  if not went then
    error(problem, 0)
  end
end

--- Shortens a text to a width: first its longest path, from the left, because the name of the file tells most.
---@param text string
---@param width integer
---@return string
local function fit(text, width)
  local longest = ""
  for path in text:gmatch("[%w_.~@+-]*/[%w_.~@+/-]+") do
    longest = #path > #longest and path or longest
  end
  local first, last = text:find(longest, 1, true)
  local rest = longest
  while vim.fn.strdisplaywidth(text) > width and rest:find("/", 2, true) do
    rest = rest:gsub("^/?[^/]*/", "", 1)
    local shorter = text:sub(1, first - 1) .. "…/" .. rest
    text, last = shorter .. text:sub(last + 1), #shorter
  end
  if vim.fn.strdisplaywidth(text) <= width then
    return text
  end
  local count = vim.fn.strchars(text)
  while count > 0 and vim.fn.strdisplaywidth(vim.fn.strcharpart(text, 0, count)) >= width do
    count = count - 1
  end
  return vim.fn.strcharpart(text, 0, count) .. "…"
end

--- For 'foldtext': the first line as it is drawn. Neovim would cut it where an open one wraps, which hides the name of a file.
---@return string[][] chunks
function M.text()
  local row = vim.v.foldstart - 1
  local info = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1]
  local width = info.width - info.textoff
  local text = vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1] or ""
  local icon, behind = { 0, nil }, nil ---@type {[1]: integer, [2]: string?}, string[]?
  local namespace = vim.api.nvim_get_namespaces()["copydesk.chat"]
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, namespace, { row, 0 }, { row, -1 }, { details = true })) do
    local details = mark[4]
    if details.virt_text_pos == "inline" then
      behind = details.virt_text[1]
    elseif details.hl_group then
      local ends_here = details.end_row == row
      icon = { ends_here and details.end_col or #text, details.hl_group --[[@as string]] }
    end
  end
  local room = width - (behind and vim.fn.strdisplaywidth(behind[1]) or 0)
  if vim.fn.strdisplaywidth(text) > room then
    behind, text = nil, fit(text, width)
  end
  local chunks = { { text:sub(1, icon[1]), icon[2] }, { text:sub(icon[1] + 1) }, behind }
  return vim.tbl_filter(function(chunk)
    return chunk[1] ~= ""
  end, chunks)
end

return M
