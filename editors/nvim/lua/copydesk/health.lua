--- `:checkhealth copydesk`: why does it not work?
---
--- Contract: gives advice for every problem. This is the only place that blocks, because `:checkhealth` is synchronous; each wait is
--- short and has a timeout.

local limits = require("copydesk.time_limits")

local M = {}

local health = vim.health

--- The output of a command; or why there is none.
---@param command string[]
---@param patience integer
---@return string? output
---@return string? problem
local function output(command, patience)
  local started, process = pcall(vim.system, command, { text = true, env = { NO_COLOR = "1" } })
  if not started then
    return nil, tostring(process)
  end
  local result = process:wait(patience)
  if result.code == 124 then
    return nil, ("`%s` did not finish in time"):format(table.concat(command, " "))
  end
  return result.stdout
end

local function neovim()
  health.start("Neovim")
  local version = tostring(vim.version())
  if vim.fn.has("nvim-0.10") == 1 then
    health.ok("Neovim " .. version)
  else
    health.error("Neovim " .. version, "Copydesk needs 0.10 or newer")
  end
  if pcall(vim.treesitter.language.inspect, "markdown") then
    health.ok("the Markdown parser is installed: conversations are highlighted")
  else
    local advice = "conversations are plain text; install Neovim with its bundled parsers"
    health.warn("the Markdown parser is missing", advice)
  end
  for _, name in ipairs({ "select", "input" }) do
    -- It may be a callable table.
    local source = type(vim.ui[name]) == "function" and debug.getinfo(vim.ui[name], "S").source or "another one"
    local is_own = source:find("vim/ui.lua", 1, true)
    health.info(("`vim.ui.%s`: %s"):format(name, is_own and "Neovim's own" or source:gsub("^@", "")))
  end
end

local function options()
  health.start("Options")
  local problems = require("copydesk").problems()
  for _, problem in ipairs(problems) do
    health.error(problem, "see |copydesk-options|; the default is used in its place")
  end
  if #problems == 0 then
    health.ok("all options are valid")
  end
end

---@return string? path
local function program()
  health.start("The program")
  local binary, ours = require("copydesk.binary"), require("copydesk.client").version
  local path, missing = binary.find()
  if not path then
    health.error(missing, binary.install)
    return nil
  end
  local said, problem = output({ path, "--version" }, limits.version_command)
  local version = said and said:match("(%d+%.%d+%.%d+%S*)")
  if not version then
    health.error(("%s: %s"):format(path, problem or "it prints no version"), binary.install)
    return nil
  elseif version ~= ours then
    local advice = "update the older of the two, then `:Copydesk! restart`"
    health.warn(("%s is version %s, this plugin is %s"):format(path, version, ours), advice)
  else
    health.ok(("%s, version %s"):format(path, version))
  end
  return path
end

---@param path string
local function daemon(path)
  health.start("The daemon")
  local status, trouble = require("copydesk.client").status()
  if status == "failed" then
    health.error("not connected: " .. (trouble or "no reason is known"), "`:Copydesk restart` tries again")
  else
    health.info(("connection: %s"):format(status))
  end
  local said, problem = output({ path, "status", "--json" }, limits.status_command)
  local read, status_report = pcall(vim.json.decode, said or "")
  if not read or type(status_report) ~= "table" then
    local advice = "`copydesk stop` in a terminal ends it; the next use starts another"
    return health.error(problem or "the daemon does not answer", advice)
  elseif not status_report.running then
    return health.ok("no daemon is running; the first use starts one")
  end
  local protocol = require("copydesk.protocol").protocol
  -- Another version may send other fields.
  local version, pid, spoken = tostring(status_report.version), tostring(status_report.pid), tostring(status_report.protocol)
  local what = ("version %s, process %s, protocol %s"):format(version, pid, spoken)
  if status_report.protocol == protocol then
    health.ok(what)
  else
    local advice = "update the older side, then run `copydesk stop` in a terminal and `:Copydesk restart` here"
    health.error(("%s; this plugin speaks %d"):format(what, protocol), advice)
  end
end

---@type table<string, fun(text: string, ...: string)>
local levels = { ok = health.ok, warning = health.warn, error = health.error }

--- Folders, keys, models, …: the checks of the binary itself.
---@param path string
local function doctor(path)
  health.start("What `copydesk doctor` finds")
  local said, problem = output({ path, "doctor", "--json" }, limits.command)
  local read, report = pcall(vim.json.decode, said or "")
  if not read or type(report) ~= "table" or type(report.findings) ~= "table" then
    return health.error(problem or "`copydesk doctor` printed no report", "run it in a terminal")
  end
  for _, finding in ipairs(report.findings) do
    -- The binary does not run in a terminal here, so its check of the terminal means nothing.
    if finding.about ~= "terminal" then
      local tell = levels[finding.level] or health.info
      local advice = type(finding.advice) == "string" and finding.advice or nil
      tell(("%s: %s"):format(tostring(finding.about), tostring(finding.what)), advice)
    end
  end
end

function M.check()
  neovim()
  options()
  local path = program()
  if path then
    daemon(path)
    doctor(path)
  end
end

return M
