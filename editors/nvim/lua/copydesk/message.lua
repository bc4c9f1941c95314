--- Messages to the user: one line each, through `vim.notify`, so that any notification plugin shows them.
---
--- Contract: may be called from anywhere; never throws; a stack trace goes to the log, not to the screen.

local M = {}

---@type string? The last message that was cut, whole.
local last

--- The last message that was cut, whole.
---@return string?
function M.last()
  return last
end

--- Cuts a message that Neovim's own `vim.notify` would show in several lines, because then the user has to press a key.
---@param line string
---@return string
function M.fit(line)
  local source = debug.getinfo(vim.notify, "S").source
  -- Neovim's own functions have no file.
  local is_own = source == "?" or vim.startswith(source, "@vim/")
  local width = vim.v.echospace
  if not is_own or vim.fn.strdisplaywidth(line) <= width then
    return line
  end
  local rest = " … `:Copydesk status`"
  return vim.fn.strcharpart(line, 0, math.max(1, width - vim.fn.strdisplaywidth(rest))) .. rest
end

---@param text string
---@param level integer
local function say(text, level)
  local line = vim.trim((text:gsub("%s*\n%s*", " ")))
  vim.schedule(function()
    local whole = "Copydesk: " .. line
    local shown = M.fit(whole)
    last = shown ~= whole and line or last
    vim.notify(shown, level, { title = "Copydesk" })
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
