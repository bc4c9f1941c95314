--- Opening files that a person has not opened: nothing is asked, and a file has no say.
---
--- Contract: what is set for it is set for the time of one call. What fails in it, as other people's callbacks may, is no harm.

local M = {}

--- Runs a function in which the question about the swap file of another Neovim, or of one that crashed, is answered: `o` opens the
--- file read-only, `e` opens it all the same, `q` does not open it. (Functions of the API do not ask, and say so at length.)
---@param answer "o"|"e"|"q"
---@param run fun(...): any
---@param ... any
function M.unasked(answer, run, ...)
  local watch = vim.api.nvim_create_autocmd("SwapExists", {
    desc = "Copydesk has nobody asked",
    callback = function()
      vim.v.swapchoice = answer
    end,
  })
  pcall(run, ...)
  pcall(vim.api.nvim_del_autocmd, watch)
end

--- Runs a command that reads a file, without a swap file and what the file itself wants to set (modelines).
---@param command string
function M.quietly(command)
  local modelines = vim.o.modelines
  vim.o.modelines = 0
  pcall(vim.cmd, "silent! noswapfile " .. command)
  vim.o.modelines = modelines
end

return M
