--- A server's diagnostics as the protocol has them.
---
--- Contract: whatever a server sent becomes a diagnostic that the desk can read. Of more than `MOST` the worst are kept, in
--- the order that they had.

local position = require("copydesk.position")

local M = {}

--- So many fit into one message.
M.MOST = 10000

local SEVERITIES = { "error", "warning", "information", "hint" }

---@param value any
---@return string?
local function text(value)
  if type(value) == "table" then
    -- Markup, or a code with a link.
    value = value.value
  end
  if type(value) == "number" and value == math.floor(value) then
    return ("%d"):format(value)
  end
  return (type(value) == "string" or type(value) == "number") and tostring(value) or nil
end

---@param raw any
---@param lines copydesk.Lines
---@param from copydesk.Encoding
---@param to copydesk.Encoding
---@return copydesk.DiagnosticInfo
local function item(raw, lines, from, to)
  raw = type(raw) == "table" and raw or {}
  return {
    range = position.range(raw.range, lines, from, to),
    -- A server that does not say means an error, as Neovim takes it.
    severity = SEVERITIES[raw.severity] or "error",
    code = text(raw.code),
    source = text(raw.source),
    message = text(raw.message) or "",
  }
end

---@param one copydesk.DiagnosticInfo
---@return string
local function key(one)
  local first, last = one.range.start, one.range["end"]
  local place = table.concat({ first.line, first.character, last.line, last.character }, ":")
  return table.concat({ place, one.severity, one.source or "", one.code or "", one.message }, "\0")
end

--- The diagnostics of several servers for one document, each once.
---@param sets {items: table[], from: copydesk.Encoding}[]
---@param lines copydesk.Lines
---@param to copydesk.Encoding
---@return copydesk.DiagnosticInfo[]
function M.union(sets, lines, to)
  local all, seen = {}, {}
  for _, set in ipairs(sets) do
    for _, raw in ipairs(set.items) do
      local one = item(raw, lines, set.from, to)
      local name = key(one)
      if not seen[name] then
        seen[name] = true
        all[#all + 1] = one
      end
    end
  end
  return all
end

--- Leaves the worst ones, `MOST` in all, over several documents.
---@param files copydesk.FileDiagnostics[]
function M.limit(files)
  local counts = {}
  for _, file in ipairs(files) do
    for _, one in ipairs(file.items) do
      counts[one.severity] = (counts[one.severity] or 0) + 1
    end
  end
  local room, left = {}, M.MOST
  for _, severity in ipairs(SEVERITIES) do
    room[severity] = math.min(counts[severity] or 0, left)
    left = left - room[severity]
  end
  for _, file in ipairs(files) do
    file.items = vim.tbl_filter(function(one)
      room[one.severity] = room[one.severity] - 1
      return room[one.severity] >= 0
    end, file.items)
  end
end

return M
