--- Messages to the user: one line each, through `vim.notify`, so that any notification plugin shows them.
---
--- Contract: may be called from anywhere; never throws; a stack trace goes to the log, not to the screen.

local M = {}

---@param text string
---@param level integer
local function say(text, level)
  local line = vim.trim((text:gsub("%s*\n%s*", " ")))
  vim.schedule(function()
    vim.notify("Copydesk: " .. line, level, { title = "Copydesk" })
  end)
end

---@param text string
function M.info(text)
  say(text, vim.log.levels.INFO)
end

---@param text string
function M.warn(text)
  say(text, vim.log.levels.WARN)
end

---@param text string
function M.error(text)
  say(text, vim.log.levels.ERROR)
end

--- Reports a bug in the plugin: one line for the user, the trace in the log.
---@param problem any
---@param trace string
function M.broken(problem, trace)
  require("vim.lsp.log").error("copydesk", tostring(problem), trace)
  local line = tostring(problem):match("^[^\n]*"):gsub("^.-([%w_]+%.lua:%d+:)", "%1")
  say(("the plugin has failed (%s); `:Copydesk log` has the details"):format(line), vim.log.levels.ERROR)
end

return M
