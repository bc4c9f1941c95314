--- `log`: the log of the desk and that of Neovim's LSP client, in a tab page of their own.
---
--- Where the desk writes is not for us to know: `copydesk doctor` tells.

local message = require("copydesk.message")

local M = { summary = "log: open the desk's log and Neovim's LSP log" }

--- Longer files hold Neovim up when they are opened.
local LONGEST = 16 * 1024 * 1024

---@return string? path
---@return string? problem
local function of_the_desk()
  local output, problem = require("copydesk.program").output({ "doctor", "--json" })
  local read, report = pcall(vim.json.decode, output or "")
  local findings = read and type(report) == "table" and report.findings
  for _, finding in ipairs(type(findings) == "table" and findings or {}) do
    local path = finding.about == "daemon" and tostring(finding.what):match(", log (.+)$")
    if path then
      return path
    end
  end
  return nil, problem or "`copydesk doctor` did not tell where the desk writes its log"
end

---@param path string
---@param command string
---@return boolean
local function open(path, command)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return false
  elseif stat.size > LONGEST then
    message.warn(("too long to be opened (%d MB): %s"):format(stat.size / 1024 / 1024, path))
    return false
  end
  local buffer = vim.fn.bufadd(path)
  vim.cmd("keepalt " .. command)
  -- A log is no document, and nothing in it is an order; another Neovim may have it open too.
  require("copydesk.opening").quietly(("buffer %d"):format(buffer))
  if vim.api.nvim_get_current_buf() ~= buffer then
    return false
  end
  vim.bo[buffer].buflisted, vim.bo[buffer].autoread, vim.bo[buffer].modifiable = false, true, false
  vim.cmd("silent! checktime " .. buffer)
  vim.api.nvim_win_set_cursor(0, { vim.api.nvim_buf_line_count(buffer), 0 })
  return true
end

---@return string
local function of_neovim()
  local log = vim.lsp.log or require("vim.lsp.log")
  return log.get_filename()
end

function M.run()
  local desk, problem = of_the_desk()
  if not desk then
    message.error(problem)
  end
  if not require("copydesk.scratch").can_open() then
    return
  end
  local is_open = desk and open(desk, "tab split")
  is_open = open(of_neovim(), is_open and "belowright split" or "tab split") or is_open
  if desk and not is_open then
    message.info(("nothing has been logged yet; the desk will write to %s"):format(desk))
  end
end

return M
