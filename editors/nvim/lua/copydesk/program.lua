--- Runs the binary and returns its output.
---
--- Contract: waits in a coroutine, with a timeout.

local limits = require("copydesk.time_limits")

local M = {}

--- The output of a command of the binary; or why there is none. (Its exit code is a verdict, not a failure.)
---@param args string[]
---@return string? output
---@return string? problem
function M.output(args)
  local path, missing = require("copydesk.binary").find()
  if not path then
    return nil, missing
  end
  local result = require("copydesk.await").await(function(done)
    local command = vim.list_extend({ path }, args)
    local options = { text = true, timeout = limits.command, env = { NO_COLOR = "1" } }
    local started, problem = pcall(vim.system, command, options, done)
    if not started then
      done({ code = 127, stdout = "", stderr = tostring(problem), signal = 0 })
    end
  end)
  if result.code == 124 or result.signal ~= 0 then
    return nil, ("`copydesk %s` did not finish in time; `:Copydesk log` may show why"):format(args[1])
  elseif vim.trim(result.stdout or "") == "" then
    local errors = vim.trim(result.stderr or "")
    errors = errors ~= "" and errors or "exit code " .. result.code
    return nil, ("`copydesk %s` failed: %s"):format(args[1], errors)
  end
  return result.stdout
end

return M
