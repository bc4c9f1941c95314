--- A call in one line: what it does and to what, from whatever is known of it so far.
---
--- Contract: pure; never throws, whatever a model wrote as arguments; the line has no line breaks and is not too long.

local M = {}

--- Arguments that are still being written are looked at only up to here.
local LOOKED_AT = 4096
local LONGEST = 160

--- The argument that says most, for each tool.
local telling = {
  read = "filePath",
  write = "filePath",
  edit = "filePath",
  multiedit = "filePath",
  list = "path",
  glob = "pattern",
  grep = "pattern",
  bash = "command",
  task = "description",
  webfetch = "url",
  websearch = "query",
  codesearch = "query",
  skill = "name",
}

---@param text string
---@return string
local function line(text)
  text = vim.trim((text:gsub("%c+", " ")))
  if vim.fn.strchars(text) <= LONGEST then
    return text
  end
  return vim.fn.strcharpart(text, 0, LONGEST - 1) .. "…"
end

--- The arguments, as far as they can be read.
---@param call copydesk.Call
---@return table
function M.arguments(call)
  local went, arguments = pcall(vim.json.decode, call.arguments, { luanil = { object = true } })
  return went and type(arguments) == "table" and arguments or {}
end

---@param call copydesk.Call
---@return string
local function from_arguments(call)
  local name = telling[call.name]
  if #call.arguments > LOOKED_AT and not call.output then
    local pattern = name and ('"%s"%%s*:%%s*"([^"]*)"'):format(name)
    local found = pattern and call.arguments:sub(1, LOOKED_AT):match(pattern) or ""
    return ("%s (%d kB so far)"):format(found, math.floor(#call.arguments / 1024))
  end
  local arguments = M.arguments(call)
  local told = name and arguments[name]
  if told == nil and not name then
    for _, value in pairs(arguments) do
      told = type(value) == "string" and value or told
    end
  end
  return type(told) == "string" and told or ""
end

--- What there is to say of it beyond its title.
---@param call copydesk.Call
---@return string
local function from_metadata(call)
  local metadata = call.output and call.output.metadata
  if type(metadata) ~= "table" then
    return ""
  end
  local first, last, total = tonumber(metadata.first), tonumber(metadata.last), tonumber(metadata.total)
  local found = tonumber(metadata.matches) or tonumber(metadata.count)
  if call.name == "read" and first and last then
    local more = total and total > last and (" of %d"):format(total) or ""
    return ("lines %d–%d%s"):format(first, last, more)
  elseif found then
    return ("%d found%s"):format(found, metadata.truncated == true and ", there are more" or "")
  elseif type(metadata.exit) == "number" and metadata.exit ~= 0 then
    return ("exit code %d"):format(metadata.exit)
  end
  return ""
end

--- How long something took, for people.
---@param milliseconds integer
---@return string
function M.duration(milliseconds)
  if milliseconds < 1000 then
    return ("%d ms"):format(milliseconds)
  elseif milliseconds < 60000 then
    return ("%.1f s"):format(milliseconds / 1000)
  end
  return ("%d min %d s"):format(math.floor(milliseconds / 60000), math.floor(milliseconds % 60000 / 1000))
end

--- The line.
---@param part copydesk.Part
---@return string
function M.of(part)
  local call = part.content --[[@as copydesk.Call]]
  local title = call.output and call.output.title or ""
  if vim.startswith(call.name, "todo") and call.output and not call.output.isError then
    return line(require("copydesk.chat.todo").summary(call))
  end
  -- The titles of changes begin with what was done; the others only name the thing.
  local is_whole = title:match("^%u%l+ed ") or title:match("^%u%l+ ") and telling[call.name] == "filePath"
  local words = { is_whole and title or call.name }
  if not is_whole then
    words[#words + 1] = title ~= "" and title or from_arguments(call)
  end
  local more = from_metadata(call)
  if more ~= "" then
    words[#words + 1] = "· " .. more
  end
  return line(table.concat(words, " "))
end

return M
