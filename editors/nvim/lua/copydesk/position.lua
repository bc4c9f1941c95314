--- Converts positions between the encodings of the daemon and of the language servers.
---
--- Contract: whatever a server sent, the result is a range that the protocol can carry. A text is read only if the encodings differ; a
--- position beyond the end of its line becomes that end, one in an unknown text stays as it is.

local M = {}

--- The protocol's largest number.
local MAX_NUMBER = 2 ^ 31 - 1
--- Larger files that are not loaded are not read.
local MAX_FILE_BYTES = 16 * 1024 * 1024

---@alias copydesk.Encoding "utf-8"|"utf-16"|"utf-32"
---@alias copydesk.Lines fun(number: integer): string? A line of a text, from 0.

--- The encoding negotiated with the daemon.
---@return copydesk.Encoding
function M.encoding()
  local client = require("copydesk.client").get()
  return client and client.offset_encoding or "utf-16"
end

--- The lines of a buffer.
---@param buffer integer
---@return copydesk.Lines
function M.lines_of(buffer)
  local known = {}
  return function(number)
    if known[number] == nil and vim.api.nvim_buf_is_loaded(buffer) then
      known[number] = vim.api.nvim_buf_get_lines(buffer, number, number + 1, false)[1] or false
    end
    return known[number] or nil
  end
end

---@param path string
---@return string[]
local function read(path)
  local stat = vim.uv.fs_stat(path)
  local file = stat and stat.type == "file" and stat.size <= MAX_FILE_BYTES and io.open(path, "rb")
  local text = file and file:read("*a") or ""
  if file then
    file:close()
  end
  return vim.split(text, "\r?\n")
end

---@param uri string
---@param buffer? integer
---@return copydesk.Lines
local function lines_at(uri, buffer)
  if buffer and vim.api.nvim_buf_is_loaded(buffer) then
    return M.lines_of(buffer)
  end
  local is_file, path = pcall(vim.uri_to_fname, uri)
  local lines = is_file and vim.startswith(uri, "file:") and read(path) or {}
  return function(number)
    return lines[number + 1]
  end
end

--- Returns a function that reads the lines of any document. Each document is looked up once, on the first line.
---@return fun(uri: string): copydesk.Lines
function M.reader()
  local known = {} ---@type table<string, copydesk.Lines>
  local find ---@type (fun(uri: string): integer?)?
  return function(uri)
    return function(number)
      if not known[uri] then
        -- One finder for all: a lookup per document would be slow.
        find = find or require("copydesk.buffer").finder()
        known[uri] = lines_at(uri, find(uri))
      end
      return known[uri](number)
    end
  end
end

---@param line string
---@param character integer
---@param encoding copydesk.Encoding
---@return integer
local function to_byte(line, character, encoding)
  if encoding == "utf-8" then
    return math.min(character, #line)
  elseif vim.fn.has("nvim-0.11") == 1 then
    return vim.str_byteindex(line, encoding, character, false)
  end
  local found, byte = pcall(vim.str_byteindex, line, character, encoding == "utf-16")
  return found and byte or #line
end

--- The column of a byte.
---@param line string
---@param byte integer
---@param encoding copydesk.Encoding
---@return integer
function M.from_byte(line, byte, encoding)
  if encoding == "utf-8" then
    return byte
  elseif vim.fn.has("nvim-0.11") == 1 then
    return vim.str_utfindex(line, encoding, byte, false)
  end
  local utf32, utf16 = vim.str_utfindex(line, byte)
  return encoding == "utf-16" and utf16 or utf32
end

---@param number any
---@return integer
local function whole(number)
  return type(number) == "number" and math.floor(math.max(0, math.min(number, MAX_NUMBER))) or 0
end

---@param position any
---@param lines copydesk.Lines
---@param from copydesk.Encoding
---@param to copydesk.Encoding
---@return copydesk.WirePosition
function M.position(position, lines, from, to)
  position = type(position) == "table" and position or {}
  local number, character = whole(position.line), whole(position.character)
  if from ~= to and character > 0 then
    local line = lines(number)
    character = line and M.from_byte(line, to_byte(line, character, from), to) or character
  end
  return { line = number, character = character }
end

---@param range any
---@param lines copydesk.Lines
---@param from copydesk.Encoding
---@param to copydesk.Encoding
---@return copydesk.WireRange
function M.range(range, lines, from, to)
  range = type(range) == "table" and range or {}
  local first = M.position(range.start, lines, from, to)
  local last = M.position(range["end"] or range.start, lines, from, to)
  if last.line < first.line or last.line == first.line and last.character < first.character then
    last = { line = first.line, character = first.character }
  end
  return { start = first, ["end"] = last }
end

--- A server's URI as Neovim spells it, and so the daemon.
---@param uri any
---@return string?
function M.uri(uri)
  if type(uri) ~= "string" or uri == "" then
    return nil
  elseif not vim.startswith(uri, "file:") then
    return uri
  end
  local read_it, path = pcall(vim.uri_to_fname, uri)
  return read_it and vim.uri_from_fname(path) or uri
end

return M
