--- The program `copydesk`: where it is, and what to do where it is not.
---
--- Contract: nothing is run to find it; `version` runs it without waiting.

local M = {}

--- How a person gets the program.
M.install = "build it in a clone of Copydesk with `cargo install --path daemon/desk`, or set `cmd` in setup{} to where it is"

--- The command that starts it; or why there is none.
---@return string? path
---@return string? problem
function M.find()
  local wanted = require("copydesk.config").get().cmd
  -- 'wildignore' has no say in it: many leave build folders out with it.
  local name = vim.fn.expand(wanted, true)
  local path = name ~= "" and vim.fn.exepath(name) or ""
  if path ~= "" then
    return path
  end
  return nil, ("the program `%s` is not found: %s"):format(wanted, M.install)
end

--- What the program calls its version.
---@param path string
---@param done fun(version?: string, problem?: string)
function M.version(path, done)
  local started, problem = pcall(vim.system, { path, "--version" }, { text = true, timeout = 5000 }, function(result)
    local version = result.code == 0 and result.stdout:match("(%d+%.%d+%.%d+%S*)")
    vim.schedule(function()
      if version then
        done(version)
      else
        done(nil, ("`%s --version` did not tell a version (exit code %d)"):format(path, result.code))
      end
    end)
  end)
  if not started then
    done(nil, tostring(problem))
  end
end

return M
