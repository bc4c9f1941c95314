--- Opens files that the user did not open: asks nothing, and ignores modelines.
---
--- Contract: settings are changed for one call only. Errors, such as those of other plugins' callbacks, are ignored.

local M = {}

--- Runs a function and answers the swap file prompt: `o` opens the file read-only, `e` edits it anyway, `q` does not open it.
--- (API functions do not prompt, but print a long message.)
---@param answer "o"|"e"|"q"
---@param run fun(...): any
---@param ... any
function M.with_swap_answer(answer, run, ...)
  local watch = vim.api.nvim_create_autocmd("SwapExists", {
    desc = "Copydesk answers the swap file prompt",
    callback = function()
      vim.v.swapchoice = answer
    end,
  })
  pcall(run, ...)
  pcall(vim.api.nvim_del_autocmd, watch)
end

--- Runs a command that reads a file, without swap file and modelines.
---@param command string
function M.without_modelines(command)
  local modelines = vim.o.modelines
  vim.o.modelines = 0
  pcall(vim.cmd, "silent! noswapfile " .. command)
  vim.o.modelines = modelines
end

return M
