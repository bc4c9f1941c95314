--- Parses the `@` mentions of a prompt.
---
--- Grammar: `@` at the start, or after white space, an opening bracket or a quote; then a name in double quotes, which may
--- contain spaces, or everything up to the next white space. `:10` or `:10-20` after a path are lines. Punctuation at the end
--- may belong to the sentence, so every reading of a word is returned, the longest first.

local M = {}

--- No path is longer.
local MAX_PATH_BYTES = 4096
--- How many trailing punctuation marks are tried one by one: a path may end with some; more are a row of dots.
local MAX_MARKS = 8

---@param word string
---@return string[]
local function readings(word)
  local bare = word:gsub("[%.,;:!%?%)%]}>\"'`]+$", "")
  local all = { word }
  for length = #word - 1, math.max(#bare + 1, #word - MAX_MARKS), -1 do
    all[#all + 1] = word:sub(1, length)
  end
  if bare ~= word and bare ~= "" then
    all[#all + 1] = bare
  end
  return all
end

--- Every mention, in order.
---@param text string
---@return string[][]
function M.find(text)
  local found = {}
  local at = 1
  while true do
    local sign = text:find("@", at, true)
    if not sign then
      return found
    end
    at = sign + 1
    local before = sign == 1 and " " or text:sub(sign - 1, sign - 1)
    if before:find("[%s%(%[{\"'`<]") then
      local name, lines, after = text:match('^"([^"\n]+)"([:%-%d]*)()', at)
      if name then
        found[#found + 1] = readings(name .. lines)
      else
        name, after = text:match("^([^%s\"]+)()", at)
        if name and #name <= MAX_PATH_BYTES then
          found[#found + 1] = readings(name)
        end
      end
      at = after or at
    end
  end
end

--- Splits a word into a path and lines.
---@param word string
---@return string path
---@return integer? first From 1.
---@return integer? last
function M.lines(word)
  local path, first, last = word:match("^(.+):(%d+)%-(%d+)$")
  if not path then
    path, first = word:match("^(.+):(%d+)$")
    last = first
  end
  if not path or #first > 9 or #last > 9 then
    return word
  end
  local from, to = tonumber(first), tonumber(last)
  return path, math.max(1, math.min(from, to)), math.max(1, from, to)
end

--- A path as a mention.
---@param path string
---@return string
function M.write(path)
  return path:find("%s") and ('@"%s"'):format(path) or "@" .. path
end

return M
