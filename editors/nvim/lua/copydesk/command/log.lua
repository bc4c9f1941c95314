--- `log`: opens the daemon's log and the log of Neovim's LSP client in a new tab page.
---
--- The plugin does not know where the daemon logs: it asks `copydesk doctor`.

local message = require("copydesk.message")

local M = { summary = "log: open the daemon's log and Neovim's LSP log" }

--- Opening a longer file blocks Neovim.
local MAX_FILE_BYTES = 16 * 1024 * 1024

---@return string? path
---@return string? problem
local function daemon_log_path()
  local output, problem = require("copydesk.program").output({ "doctor", "--json" })
  local read, report = pcall(vim.json.decode, output or "")
  local findings = read and type(report) == "table" and report.findings
  for _, finding in ipairs(type(findings) == "table" and findings or {}) do
    local path = finding.about == "daemon" and tostring(finding.what):match(", log (.+)$")
    if path then
      return path
    end
  end
  return nil, problem or "`copydesk doctor` does not name the daemon's log file"
end

---@param path string
---@param command string
---@return boolean
local function open(path, command)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return false
  elseif stat.size > MAX_FILE_BYTES then
    message.warn(("the log is too long to open (%d MB): %s"):format(stat.size / 1024 / 1024, path))
    return false
  end
  local buffer = vim.fn.bufadd(path)
  vim.cmd("keepalt " .. command)
  -- A log is no document, its modelines must not run, and another Neovim may have it open.
  require("copydesk.quiet_open").without_modelines(("buffer %d"):format(buffer))
  if vim.api.nvim_get_current_buf() ~= buffer then
    return false
  end
  vim.bo[buffer].buflisted, vim.bo[buffer].autoread, vim.bo[buffer].modifiable = false, true, false
  vim.cmd("silent! checktime " .. buffer)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
  return true
end

---@return string
local function lsp_log_path()
  local log = vim.lsp.log or require("vim.lsp.log")
  return log.get_filename()
end

function M.run()
  local daemon_log, problem = daemon_log_path()
  if not daemon_log then
    message.error(problem)
  end
  if not require("copydesk.scratch").can_open() then
    return
  end
  local is_open = daemon_log and open(daemon_log, "tab split")
  is_open = open(lsp_log_path(), is_open and "belowright split" or "tab split") or is_open
  if daemon_log and not is_open then
    message.info(("nothing has been logged yet; the daemon will write to %s"):format(daemon_log))
  end
end

return M
