--- Symbols by name, from the language servers of a buffer.
---
--- Contract: nothing blocks on a server. Results are cached, so that a mention can be resolved when the prompt is sent.

local server = require("copydesk.server")

local M = {}

local MAX_SYMBOLS = 5000

---@class copydesk.KnownSymbol
---@field name string
---@field kind string
---@field uri string
---@field range lsp.Range

---@type table<string, copydesk.KnownSymbol>
local by_name = {}
local count = 0
--- The requests already made: by changedtick for a buffer, by query for a workspace.
---@type table<string, true>
local asked = {}

--- The cached symbol of this name.
---@param name string
---@return copydesk.KnownSymbol?
function M.known(name)
  return by_name[name]
end

--- All cached symbols.
---@return copydesk.KnownSymbol[]
function M.all()
  return vim.tbl_values(by_name)
end

---@param range any
---@return boolean
local function is_range(range)
  local has_both = type(range) == "table" and type(range.start) == "table" and type(range["end"]) == "table"
  return has_both and type(range.start.line) == "number" and type(range["end"].line) == "number"
end

---@param symbol any As the server sent it: `DocumentSymbol`, `SymbolInformation` or garbage.
---@param uri string
local function remember(symbol, uri)
  if type(symbol) ~= "table" then
    return
  end
  local place = type(symbol.location) == "table" and symbol.location or { uri = uri, range = symbol.range }
  local has_place = type(place.uri) == "string" and is_range(place.range)
  if type(symbol.name) == "string" and has_place and count < MAX_SYMBOLS then
    count = count + (by_name[symbol.name] and 0 or 1)
    by_name[symbol.name] = {
      name = symbol.name,
      kind = (vim.lsp.protocol.SymbolKind[symbol.kind] or "symbol"):lower(),
      uri = place.uri,
      range = place.range,
    }
  end
  for _, child in ipairs(type(symbol.children) == "table" and symbol.children or {}) do
    remember(child, uri)
  end
end

---@param buffer integer
---@param method string
---@param params table
---@param key string
---@param arrived fun()
local function ask(buffer, method, params, key, arrived)
  if asked[key] then
    return
  end
  -- The buffer may be gone by the time the server responds.
  local uri = vim.uri_from_bufnr(buffer)
  for _, client in ipairs(server.of(buffer)) do
    if server.supports(client, method, buffer) then
      asked[key] = true
      server.request(client, method, params, buffer, function(_, result)
        for _, symbol in ipairs(type(result) == "table" and result or {}) do
          remember(symbol, uri)
        end
        arrived()
      end)
    end
  end
end

--- Requests the symbols of a buffer, and the matching ones of its workspace.
---@param buffer integer
---@param query string
---@param arrived fun() Called on each response.
function M.ask(buffer, query, arrived)
  if count >= MAX_SYMBOLS or vim.tbl_count(asked) >= MAX_SYMBOLS then
    by_name, count, asked = {}, 0, {}
  end
  local uri = vim.uri_from_bufnr(buffer)
  local text = ("%d:%d"):format(buffer, vim.api.nvim_buf_get_changedtick(buffer))
  ask(buffer, "textDocument/documentSymbol", { textDocument = { uri = uri } }, text, arrived)
  if #query >= 2 then
    ask(buffer, "workspace/symbol", { query = query }, "workspace:" .. query, arrived)
  end
end

return M
