--- Reviews and hunks in a line each, for lists.
---
--- Contract: pure, except that it looks up the hunks' current lines; a line has no line breaks or control characters.

local M = {}

local kinds = { created = "new file", deleted = "deleted", renamed = "renamed" }

---@param additions integer
---@param deletions integer
---@return string
function M.figures(additions, deletions)
  local words = {}
  if additions > 0 then
    words[#words + 1] = "+" .. additions
  end
  if deletions > 0 then
    words[#words + 1] = "-" .. deletions
  end
  return table.concat(words, " ")
end

--- What happened to the file itself.
---@param one copydesk.ReviewState
---@return string
function M.file(one)
  local kind = kinds[one.file.kind]
  return one.file.from and ("%s from %s"):format(kind, one.file.from) or kind
end

--- The first line with a word.
---@param lines string[]
---@return string?
local function telling(lines)
  for _, line in ipairs(lines) do
    if line:find("%w") then
      return line
    end
  end
  return lines[1]
end

--- A hunk: its size and its most telling line.
---@param _ copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string
function M.hunk(_, hunk)
  local line = telling(hunk.new) or telling(hunk.old) or ""
  line = vim.trim((line:gsub("%c+", " ")))
  return ("%-8s %s"):format(M.figures(hunk.newLines, hunk.oldLines), line)
end

--- The calls with these ids, each once, as the conversation shows them.
---@param session string
---@param ids string[]
---@return string
function M.by(session, ids)
  local view = require("copydesk.session").view(session)
  local titles, seen = {}, {}
  for _, id in ipairs(ids) do
    local part = view and view.parts[view.at[id] or 0]
    if part and part.content.kind == "call" then
      local title = require("copydesk.chat.summary").of(part)
      if not seen[title] then
        seen[title] = true
        titles[#titles + 1] = title
      end
    end
  end
  return table.concat(titles, ", ")
end

--- The hunks of a review in text order, with their current lines.
---@param one copydesk.ReviewState
---@return { hunk: copydesk.HunkInfo, line: integer }[]
function M.ordered(one)
  local bufnr, now = require("copydesk.buffer").of(one.uri), {}
  for _, found in ipairs(bufnr and require("copydesk.review.draw").all(bufnr) or {}) do
    now[found.hunk] = found.first
  end
  local ordered = vim.tbl_map(function(hunk)
    return { hunk = hunk, line = now[hunk] or hunk.line }
  end, require("copydesk.review.state").hunks(one))
  table.sort(ordered, function(a, b)
    return a.line < b.line or a.line == b.line and a.hunk.hunk < b.hunk.hunk
  end)
  return ordered
end

return M
