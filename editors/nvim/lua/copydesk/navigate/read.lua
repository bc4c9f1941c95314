--- Converts language servers' responses, in every shape that LSP allows, to our protocol.
---
--- Contract: makes no requests; positions are in the daemon's encoding, each place appears once, and entries without a place are
--- dropped.

local position = require("copydesk.position")

local M = {}

--- The cap on a list.
M.MAX_ITEMS = 5000

---@class copydesk.Reading
---@field lines fun(uri: string): copydesk.Lines
---@field from copydesk.Encoding The server's.
---@field to copydesk.Encoding The daemon's.
---@field uri? string The document that was asked about.

-- LSP counts these from 1.
local KINDS = vim.split(
  "file module namespace package class method property field constructor enum interface function variable "
    .. "constant string number boolean array object key null enumMember struct event operator typeParameter",
  " "
)

---@param uri any
---@param range any
---@param reading copydesk.Reading
---@return copydesk.WireLocation?
local function place(uri, range, reading)
  local spelled = position.uri(uri)
  if not spelled then
    return nil
  end
  return { uri = spelled, range = position.range(range, reading.lines(spelled), reading.from, reading.to) }
end

---@param location copydesk.WireLocation
---@param name? string
---@return string
local function key(location, name)
  local first, last = location.range.start, location.range["end"]
  local numbers = table.concat({ first.line, first.character, last.line, last.character }, ":")
  return table.concat({ location.uri, numbers, name or "" }, "\0")
end

--- Returns a function that adds each item once, up to the cap.
---@param list table[]
---@return fun(one?: table, name?: string)
function M.collector(list)
  local seen = {}
  return function(one, name)
    local id = one and key(one, name)
    if one and #list < M.MAX_ITEMS and not seen[id] then
      seen[id] = true
      list[#list + 1] = one
    end
  end
end

---@param value any
---@return string?
local function text(value)
  return type(value) == "string" and value ~= "" and value or nil
end

--- A location, a list of them, or a list of links.
---@param result any
---@param reading copydesk.Reading
---@param add fun(one?: copydesk.WireLocation)
function M.locations(result, reading, add)
  result = type(result) == "table" and result or {}
  local list = (result.uri or result.targetUri) and { result } or result
  for _, one in ipairs(list) do
    if type(one) == "table" then
      add(place(one.uri or one.targetUri, one.range or one.targetSelectionRange or one.targetRange, reading))
    end
  end
end

---@param a copydesk.WirePosition
---@param b copydesk.WirePosition
---@return boolean
local function is_before(a, b)
  return a.line < b.line or a.line == b.line and a.character < b.character
end

---@param list any[]
---@return any[]
local function in_order(list)
  local function start(one)
    local range = type(one) == "table" and (one.range or vim.tbl_get(one, "location", "range")) or {}
    local first = type(range) == "table" and type(range.start) == "table" and range.start or {}
    return { line = tonumber(first.line) or 0, character = tonumber(first.character) or 0 }
  end
  local numbered = {}
  for number, one in ipairs(list) do
    numbered[number] = { one = one, start = start(one), number = number }
  end
  table.sort(numbered, function(a, b)
    if is_before(a.start, b.start) or is_before(b.start, a.start) then
      return is_before(a.start, b.start)
    end
    return a.number < b.number
  end)
  return vim.tbl_map(function(entry)
    return entry.one
  end, numbered)
end

--- Symbols of a document, nested or flat, in document order.
---@param result any
---@param reading copydesk.Reading
---@param add fun(one?: copydesk.SymbolInfo, name?: string)
function M.document_symbols(result, reading, add)
  ---@param list any
  ---@param depth integer
  ---@param container? string
  local function walk(list, depth, container)
    for _, one in ipairs(in_order(type(list) == "table" and list or {})) do
      if type(one) == "table" and text(one.name) then
        local location = type(one.location) == "table" and one.location or nil
        local at = location or { uri = reading.uri, range = one.range }
        local found = place(at.uri, at.range, reading)
        if found then
          found = vim.tbl_extend("force", found, {
            name = one.name,
            kind = KINDS[one.kind],
            detail = text(one.detail),
            container = container or text(one.containerName),
            depth = not location and depth or nil,
          })
          add(found, one.name)
        end
        walk(one.children, depth + 1, one.name)
      end
    end
  end
  walk(result, 0)
end

--- Symbols of a workspace.
---@param result any
---@param reading copydesk.Reading
---@param add fun(one?: copydesk.SymbolInfo, name?: string)
function M.workspace_symbols(result, reading, add)
  for _, one in ipairs(type(result) == "table" and result or {}) do
    local location = type(one) == "table" and one.location
    local found = type(location) == "table" and place(location.uri, location.range, reading)
    if found and text(one.name) then
      found = vim.tbl_extend("force", found, {
        name = one.name,
        kind = KINDS[one.kind],
        detail = text(one.detail),
        container = text(one.containerName),
      })
      add(found, one.name)
    end
  end
end

--- The callers or callees of a call hierarchy.
---@param result any
---@param is_incoming boolean
---@param reading copydesk.Reading `uri` is the document of the item that was asked about.
---@param add fun(one?: copydesk.SymbolInfo, name?: string)
function M.calls(result, is_incoming, reading, add)
  for _, call in ipairs(type(result) == "table" and result or {}) do
    local item = type(call) == "table" and (is_incoming and call.from or call.to)
    local found = type(item) == "table" and place(item.uri, item.range, reading)
    if found and text(item.name) then
      local lines = reading.lines(is_incoming and found.uri or reading.uri)
      local ranges = type(call.fromRanges) == "table" and call.fromRanges or {}
      local calls = vim.tbl_map(function(range)
        return position.range(range, lines, reading.from, reading.to)
      end, vim.list_slice(ranges, 1, M.MAX_ITEMS))
      found = vim.tbl_extend("force", found, {
        name = item.name,
        kind = KINDS[item.kind],
        detail = text(item.detail),
        calls = #calls > 0 and calls or nil,
      })
      add(found, item.name)
    end
  end
end

--- Wraps plain text in a Markdown fence that it cannot end.
---@param words string
---@param language string
---@return string
local function fenced(words, language)
  local fence = "```"
  while words:find(fence, 1, true) do
    fence = fence .. "`"
  end
  return ("%s%s\n%s\n%s"):format(fence, language, words, fence)
end

--- The text of a hover as Markdown: from markup, a marked string, or a list of them.
---@param result any
---@return string?
function M.hover(result)
  ---@param contents any
  ---@return string?
  local function markdown(contents)
    if type(contents) ~= "table" then
      return text(contents)
    elseif contents.kind == "plaintext" then
      return text(contents.value) and fenced(contents.value, "")
    elseif contents.kind then
      return text(contents.value)
    elseif contents.language then
      return text(contents.value) and fenced(contents.value, tostring(contents.language))
    end
    local pieces = {}
    for _, one in ipairs(contents) do
      pieces[#pieces + 1] = markdown(one)
    end
    return text(table.concat(pieces, "\n\n"))
  end
  return type(result) == "table" and markdown(result.contents) or nil
end

return M
