--- The rows of the list of undecided hunks: one per review with the calls that made it, and below it its hunks.
---
--- Contract: pure, except that it looks up the hunks' current lines.

local state = require("copydesk.review.state")
local summary = require("copydesk.review.summary")

local M = {}

---@class copydesk.ListItem
---@field one copydesk.ReviewState
---@field hunk? copydesk.HunkInfo Nil for the row of the review itself.

---@param one copydesk.ReviewState
---@return string[]
local function ids_of(one)
  local ids, seen = {}, {}
  local function add(call_ids)
    for _, id in ipairs(call_ids or {}) do
      if not seen[id] then
        seen[id] = true
        ids[#ids + 1] = id
      end
    end
  end
  add(one.file and one.file.by)
  for _, hunk in ipairs(state.hunks(one)) do
    add(hunk.by)
  end
  return ids
end

--- The row of a review: path, kind, size and calls.
---@param one copydesk.ReviewState
---@return table[] chunks
local function review_row(one)
  local words = {}
  if one.file then
    words[#words + 1] = summary.file(one)
  end
  if one.total > 0 then
    words[#words + 1] = one.total == 1 and "1 hunk" or ("%d hunks"):format(one.total)
  end
  words[#words + 1] = summary.figures(one.additions, one.deletions)
  if one.when == "before" then
    words[#words + 1] = "waits"
  end
  local calls = summary.by(one.session, ids_of(one))
  return {
    { (one.path:gsub("%c", " ")), "CopydeskTitle" },
    { "  " .. table.concat(words, "  "), one.when == "before" and "CopydeskAsk" or "Normal" },
    { calls ~= "" and "  " .. calls or "", "CopydeskDim" },
  }
end

---@param hunk copydesk.HunkInfo
---@param line integer
---@param one copydesk.ReviewState
---@return table[] chunks
local function hunk_row(hunk, line, one)
  local marks_of = hunk.deciding and "  being decided" or hunk.edited and "  you typed in it" or ""
  return {
    { ("%6d  "):format(line + 1), "CopydeskDim" },
    { summary.hunk(one, hunk), "Normal" },
    { marks_of, "CopydeskDim" },
  }
end

--- All rows.
---@return copydesk.PanelRow[]
function M.all()
  local rows = {}
  for _, one in ipairs(state.all()) do
    local key = ("%s/%s"):format(one.session, one.id)
    rows[#rows + 1] = { key = key, chunks = review_row(one), item = { one = one } }
    for _, at in ipairs(summary.ordered(one)) do
      local item = { one = one, hunk = at.hunk }
      rows[#rows + 1] = { key = key .. at.hunk.hunk, chunks = hunk_row(at.hunk, at.line, one), item = item }
    end
  end
  if #rows == 0 then
    rows[1] = { key = "", chunks = { { "Nothing is undecided.", "CopydeskDim" } } }
  end
  return rows
end

return M
