--- The diagnostics of a call's change, made or proposed: a few problems, their sources, and how certain each source is.
---
--- Contract: pure; never throws, whatever the metadata holds; each problem is one line. An unknown state is shown as unknown,
--- never as fine.

local M = {}

--- How many problems are listed.
local MAX_PROBLEMS = 5
--- How much of a message the user sees.
local MAX_MESSAGE_CHARS = 200

--- The highlight of each severity.
M.groups = {
  error = "DiagnosticError",
  warning = "DiagnosticWarn",
  information = "DiagnosticInfo",
  hint = "DiagnosticHint",
}

---@param text any
---@return string
local function one_line(text)
  text = type(text) == "string" and vim.trim((text:gsub("%c+", " "))) or ""
  if vim.fn.strchars(text) > MAX_MESSAGE_CHARS then
    return vim.fn.strcharpart(text, 0, MAX_MESSAGE_CHARS - 1) .. "…"
  end
  return text
end

---@param value any
---@return integer
local function count(value)
  return type(value) == "number" and value > 0 and value < math.huge and math.floor(value) or 0
end

--- The problems of a list. A tool that is not built in may send anything.
---@param told copydesk.ProblemMetadata[]
---@return copydesk.ProblemMetadata[]
local function list(told)
  local found = {}
  for _, one in ipairs(type(told) == "table" and told or {}) do
    if type(one) == "table" and type(one.path) == "string" then
      local severity = M.groups[one.severity] and one.severity or "error"
      local code = one_line(one.code)
      found[#found + 1] = {
        path = one_line(one.path),
        line = math.max(1, count(one.line)),
        column = math.max(1, count(one.column)),
        severity = severity,
        code = code ~= "" and code or nil,
        source = one_line(one.source),
        message = one_line(one.message),
      }
    end
  end
  return found
end

---@class copydesk.ReadProblems
---@field new copydesk.ProblemMetadata[]
---@field unsure copydesk.ProblemMetadata[]
---@field told copydesk.DiagnosticsMetadata As it came.

--- The diagnostics in the metadata; nil if no source was asked.
---@param metadata? copydesk.CallMetadata|copydesk.PermissionAskMetadata
---@return copydesk.ReadProblems?
local function read(metadata)
  local told = type(metadata) == "table" and metadata.diagnostics --[[@as copydesk.DiagnosticsMetadata?]]
  if type(told) ~= "table" then
    return nil
  end
  return { new = list(told.new), unsure = list(told.unsure), told = told }
end

--- `error E0308`
---@param problem copydesk.ProblemMetadata
---@return string
local function kind(problem)
  return problem.code and ("%s %s"):format(problem.severity, problem.code) or problem.severity
end

--- `  src/cart.rs:12 error E0308 mismatched types`
---@param problem copydesk.ProblemMetadata
---@return string
---@return integer from, integer to The columns of the severity.
local function row(problem)
  local place = ("  %s:%d "):format(problem.path, problem.line)
  local line = ("%s%s %s"):format(place, kind(problem), problem.message)
  return line, #place, #place + #kind(problem)
end

---@param reports copydesk.ProblemSourceMetadata[]
---@return { names: string[], known: boolean, why?: string }[]
local function speakers(reports)
  local known, unknown = { names = {}, known = true }, { names = {}, known = false }
  for _, report in ipairs(type(reports) == "table" and reports or {}) do
    if type(report) == "table" then
      local is_unknown = report.proof ~= "proven" and report.proof ~= "likely"
      local one = is_unknown and unknown or known
      local name = one_line(report.source)
      if not is_unknown and name == "tree-sitter" then
        -- "Nothing new" means less if only the syntax was checked.
        name = "syntax only"
      elseif not is_unknown then
        name = ("%s, %s"):format(name, report.proof)
      end
      if not vim.tbl_contains(one.names, name) then
        one.names[#one.names + 1] = name
      end
      one.why = one.why or is_unknown and one_line(report.why) or nil
    end
  end
  return vim.tbl_filter(function(one)
    return #one.names > 0
  end, { known, unknown })
end

---@param found copydesk.ReadProblems
---@param is_proposed boolean
---@return string
local function figures(found, is_proposed)
  local words = {}
  local new, unsure = #found.new, #found.unsure
  local made = is_proposed and " if this is made" or ""
  if new == 0 and unsure == 0 then
    words[1] = "nothing new" .. made
  elseif new == 0 then
    words[1] = ("%d found%s, which of them are new is not known"):format(unsure, made)
  else
    words[1] = ("%d new%s"):format(new + count(found.told.unlisted), made)
    words[2] = unsure > 0 and ("%d perhaps new"):format(unsure) or nil
  end
  for _, one in ipairs({ { "remaining", "older" }, { "fixed", "fixed" } }) do
    local number = count(found.told[one[1]])
    if number > 0 then
      words[#words + 1] = ("%d %s"):format(number, one[2])
    end
  end
  return table.concat(words, ", ")
end

--- Adds the diagnostics to a block. Returns false if there are none.
---@param block copydesk.Block
---@param metadata? copydesk.CallMetadata|copydesk.PermissionAskMetadata
---@param is_proposed boolean The change is not applied yet.
---@return boolean
function M.add(block, metadata, is_proposed)
  local found = read(metadata)
  if not found then
    return false
  end
  local function put(line, from, to, group)
    block.lines[#block.lines + 1] = line
    local options = { end_col = to, hl_group = group, hl_mode = "combine" }
    block.marks[#block.marks + 1] = { row = #block.lines - 1, col = from, options = options }
  end
  local all = vim.list_extend(vim.list_slice(found.new), found.unsure)
  for number = 1, math.min(#all, MAX_PROBLEMS) do
    local line, from, to = row(all[number])
    put(line, from, to, M.groups[all[number].severity])
  end
  if #all > MAX_PROBLEMS then
    local line = ("  … and %d more"):format(#all - MAX_PROBLEMS + count(found.told.unlisted))
    put(line, 0, #line, "CopydeskDim")
  end
  for _, one in ipairs(speakers(found.told.reports)) do
    local said = figures(found, is_proposed)
    if not one.known then
      said = "not known" .. (one.why and one.why ~= "" and ": " .. one.why or "")
    end
    local line = ("  %s: %s"):format(table.concat(one.names, "; "), said)
    put(line, 0, #line, "CopydeskDim")
  end
  return true
end

--- The problem that a line shows.
---@param metadata? copydesk.CallMetadata|copydesk.PermissionAskMetadata
---@param line string
---@return copydesk.ProblemMetadata?
function M.at(metadata, line)
  local found = read(metadata)
  for _, problem in ipairs(found and vim.list_extend(found.new, found.unsure) or {}) do
    if row(problem) == line then
      return problem
    end
  end
end

return M
