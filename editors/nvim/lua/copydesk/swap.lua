--- Swap files of other Neovims, and of ones that crashed. Neovim asks what to do about them when a file is opened; a person who
--- has not opened it is not to be asked.
---
--- Contract: an answer for the time of one call, and for nobody else.

local M = {}

--- Runs a function, in which such a question is answered: `o` opens the file read-only, `e` opens it all the same, `q` does not
--- open it. What fails in it is no harm.
---@param answer "o"|"e"|"q"
---@param run fun(...): any
---@param ... any
---@return boolean went
---@return any result
function M.unasked(answer, run, ...)
  local watch = vim.api.nvim_create_autocmd("SwapExists", {
    desc = "Copydesk has nobody asked",
    callback = function()
      vim.v.swapchoice = answer
    end,
  })
  local went, result = pcall(run, ...)
  pcall(vim.api.nvim_del_autocmd, watch)
  return went, result
end

return M
