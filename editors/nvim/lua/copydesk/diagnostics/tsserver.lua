--- Asking the TypeScript compiler itself, past the language server that stands before it.
---
--- Such a server publishes without a version, and nothing where nothing is wrong before and after. But it passes requests on in the order
--- in which they come, and the compiler answers them one after the other: what it answers is said of the texts that were told
--- before.

local M = {}

local COMMAND = "typescript.tsserverRequest"
--- As identifiers of sets that can be asked for. Suggestions are not asked for.
local REQUESTS = { "syntacticDiagnosticsSync", "semanticDiagnosticsSync" }
local SEVERITIES = { error = 1, warning = 2, message = 3, suggestion = 4 }

--- The sets that a server can be asked for so; none where it does not pass requests on.
---@param client vim.lsp.Client
---@return string[]
function M.identifiers(client)
  local commands = vim.tbl_get(client.server_capabilities or {}, "executeCommandProvider", "commands")
  return vim.list_contains(type(commands) == "table" and commands or {}, COMMAND) and REQUESTS or {}
end

---@param identifier? string
---@return boolean
function M.is_own(identifier)
  return vim.list_contains(REQUESTS, identifier)
end

---@param identifier string
---@param uri string
---@return string method
---@return table params
function M.question(identifier, uri)
  return "workspace/executeCommand", { command = COMMAND, arguments = { identifier, { file = uri } } }
end

---@param place any
---@return lsp.Position
local function position(place)
  local function number(name)
    local value = type(place) == "table" and tonumber(place[name]) or 1
    return math.max(0, value - 1)
  end
  return { line = number("line"), character = number("offset") }
end

--- What was answered, as the protocol has it; nothing where that is no list of diagnostics.
---@param answer any
---@return table[]?
function M.items(answer)
  if type(answer) ~= "table" or answer.success == false or type(answer.body) ~= "table" then
    return nil
  end
  local items = {}
  for _, one in ipairs(answer.body) do
    if type(one) == "table" then
      items[#items + 1] = {
        range = { start = position(one.start), ["end"] = position(one["end"]) },
        severity = SEVERITIES[one.category] or 1,
        code = one.code,
        source = type(one.source) == "string" and one.source or "typescript",
        message = one.text,
      }
    end
  end
  return items
end

return M
