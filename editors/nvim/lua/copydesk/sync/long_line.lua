--- Finds the changed part of a long line, so that a key typed in a line of megabytes does not send all of it.
---
--- Contract: pure. Only long lines are kept.

local position = require("copydesk.position")

local M = {}

--- Shorter lines are sent whole. A test sets it.
M.min_bytes = 64 * 1024
--- How many bytes are compared at once.
local CHUNK = 64 * 1024

---@param line string
---@param at integer From 1.
---@return boolean
local function is_inside_character(line, at)
  local byte = line:byte(at)
  return byte ~= nil and byte >= 128 and byte < 192
end

--- How many bytes two texts have in common, counted from one end.
---@param most integer
---@param part fun(from: integer, to: integer): string, string Bytes of both, from 1, counted from that end.
---@return integer
local function common(most, part)
  local same, size = 0, CHUNK
  while same < most do
    size = math.min(size, most - same)
    local a, b = part(same + 1, same + size)
    if a == b then
      same = same + size
    elseif size == 1 then
      break
    else
      size = math.floor(size / 2)
    end
  end
  return same
end

--- The long ones of a text's lines, by row. Not those with a carriage return, which the daemon may take for a line end.
---@param lines string[]
---@return table<integer, string>
function M.all(lines)
  local long = {}
  for number, line in ipairs(lines) do
    if #line >= M.min_bytes and not line:find("\r", 1, true) then
      long[number - 1] = line
    end
  end
  return long
end

--- Replaces rows of a text, of which the long lines are known.
---@param long table<integer, string>
---@param change { first: integer, last: integer, lines: string[] }
function M.update(long, change)
  local moved, by = {}, #change.lines - (change.last - change.first)
  for row, line in pairs(long) do
    if row >= change.first then
      long[row] = nil
      moved[row + by] = row >= change.last and line or nil
    end
  end
  for row, line in pairs(moved) do
    long[row] = line
  end
  for row, line in pairs(M.all(change.lines)) do
    long[change.first + row] = line
  end
end

--- The change from one line to another.
---@param old string
---@param new string
---@param row integer
---@param encoding copydesk.Encoding
---@return lsp.TextDocumentContentChangeEvent
function M.change(old, new, row, encoding)
  local head = common(math.min(#old, #new), function(from, to)
    return old:sub(from, to), new:sub(from, to)
  end)
  while head > 0 and (is_inside_character(old, head + 1) or is_inside_character(new, head + 1)) do
    head = head - 1
  end
  local tail = common(math.min(#old, #new) - head, function(from, to)
    return old:sub(-to, -from), new:sub(-to, -from)
  end)
  while tail > 0 and is_inside_character(new, #new - tail + 1) do
    tail = tail - 1
  end
  local function place(byte)
    return { line = row, character = position.from_byte(old, byte, encoding) }
  end
  return { range = { start = place(head), ["end"] = place(#old - tail) }, text = new:sub(head + 1, #new - tail) }
end

return M
