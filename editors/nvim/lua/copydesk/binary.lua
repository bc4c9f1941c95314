--- Finds the `copydesk` binary, and tells the user how to get it.
---
--- Contract: finding it runs nothing; `version` runs it asynchronously.

local limits = require("copydesk.time_limits")

local M = {}

--- How to install the binary.
M.install = "build it in a clone of Copydesk with `cargo install --path daemon/cli`, or set `cmd` in setup{} to its path"

--- The path of the binary, or why it cannot be found.
---@return string? path
---@return string? problem
function M.find()
  local wanted = require("copydesk.config").get().cmd
  -- Ignores 'wildignore': many users exclude build folders with it.
  local name = vim.fn.expand(wanted, true)
  local path = name ~= "" and vim.fn.exepath(name) or ""
  if path ~= "" then
    return path
  end
  return nil, ("cannot find the program `%s`: %s"):format(wanted, M.install)
end

--- The version that the binary reports.
---@param path string
---@param done fun(version?: string, problem?: string)
function M.version(path, done)
  local started, problem = pcall(vim.system, { path, "--version" }, { text = true, timeout = limits.version_command }, function(result)
    local version = result.code == 0 and result.stdout:match("(%d+%.%d+%.%d+%S*)")
    vim.schedule(function()
      if version then
        done(version)
      else
        done(nil, ("`%s --version` printed no version (exit code %d)"):format(path, result.code))
      end
    end)
  end)
  if not started then
    done(nil, tostring(problem))
  end
end

return M
