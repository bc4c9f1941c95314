--- Folds of the transcript: they follow its text in every mode.
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

return M
