--- Maps calls to the undecided hunks they made, and those hunks to the hunks of the call's diff.
---
--- Contract: pure. The user or a later call may have changed the lines of a hunk since the diff was made: an undecided hunk
--- without an exact match goes to the nearest free one, unless there are too many to compare.

local state = require("copydesk.review.state")

local M = {}

--- The cap on comparisons.
local MAX_COMPARISONS = 20000

---@class copydesk.Undecided
---@field one copydesk.ReviewState
---@field hunk? copydesk.HunkInfo Nil stands for the file itself.

--- The undecided hunks of a session, by the ids of the calls that made them; in text order.
---@param session string
---@return table<string, copydesk.Undecided[]>
function M.by_call(session)
  local found = {} ---@type table<string, copydesk.Undecided[]>
  local function add(ids, undecided)
    for _, id in ipairs(ids) do
      found[id] = found[id] or {}
      table.insert(found[id], undecided)
    end
  end
  for _, one in ipairs(state.all()) do
    if one.session == session then
      if one.file then
        add(one.file.by, { one = one })
      end
      for _, hunk in ipairs(state.hunks(one)) do
        add(hunk.by, { one = one, hunk = hunk })
      end
    end
  end
  return found
end

---@param undecided copydesk.Undecided
---@param path string
---@return boolean
local function is_in(undecided, path)
  local is_file, found = pcall(vim.uri_to_fname, undecided.one.uri)
  return is_file and found == path
end

--- The undecided hunks of some calls, each once.
---@param calls copydesk.TurnCall[]
---@param by_call table<string, copydesk.Undecided[]>
---@param path? string Only in this file: a call may have changed several.
---@return copydesk.Undecided[]
function M.of(calls, by_call, path)
  local all, seen = {}, {}
  for _, call in ipairs(calls) do
    for _, undecided in ipairs(by_call[call.part.id] or {}) do
      if not seen[undecided] and (not path or is_in(undecided, path)) then
        seen[undecided] = true
        all[#all + 1] = undecided
      end
    end
  end
  return all
end

--- Whether some lines occur in others as one run.
---@param some string[]
---@param all string[]
---@return boolean
local function contains_run(some, all)
  for first = 0, #all - #some do
    local is_here = true
    for number, line in ipairs(some) do
      is_here = is_here and all[first + number] == line
    end
    if is_here then
      return true
    end
  end
  return false
end

--- How well two hunks match: 2 if both sides do, 1 if one side does.
---@param run copydesk.DiffHunk
---@param hunk copydesk.HunkInfo
---@return integer
local function similarity(run, hunk)
  local has_new, has_old = contains_run(run.added, hunk.new), contains_run(run.removed, hunk.old)
  if has_new and has_old then
    return 2
  end
  return (has_new and #run.added > 0 or has_old and #run.removed > 0) and 1 or 0
end

---@param added string[]
---@param removed string[]
---@return string
local function text_of(added, removed)
  return table.concat(added, "\n") .. "\0" .. table.concat(removed, "\n")
end

--- Pairs identical hunks; if there are several, the nearest.
---@param runs copydesk.DiffHunk[]
---@param undecided copydesk.Undecided[]
---@return table<copydesk.DiffHunk, copydesk.Undecided> matched
---@return copydesk.Undecided[] others
local function match_identical(runs, undecided)
  local by_text, matched, others = {}, {}, {}
  for _, run in ipairs(runs) do
    local text = text_of(run.added, run.removed)
    by_text[text] = by_text[text] or {}
    table.insert(by_text[text], run)
  end
  for _, one in ipairs(undecided) do
    local candidates = one.hunk and by_text[text_of(one.hunk.new, one.hunk.old)] or {}
    local nearest ---@type integer?
    for number, run in ipairs(candidates) do
      local distance = math.abs(run.line - one.hunk.line - 1)
      if not nearest or distance < math.abs(candidates[nearest].line - one.hunk.line - 1) then
        nearest = number
      end
    end
    if nearest then
      matched[table.remove(candidates, nearest)] = one
    elseif one.hunk then
      others[#others + 1] = one
    end
  end
  return matched, others
end

--- The undecided hunk of each hunk of a diff.
---@param runs copydesk.DiffHunk[]
---@param undecided copydesk.Undecided[] Of the same call.
---@return table<copydesk.DiffHunk, copydesk.Undecided>
function M.match(runs, undecided)
  local matched, others = match_identical(runs, undecided)
  if #others * #runs > MAX_COMPARISONS then
    return matched
  end
  for _, one in ipairs(others) do
    local hunk = one.hunk --[[@as copydesk.HunkInfo]]
    local free = vim.tbl_filter(function(run)
      return not matched[run]
    end, runs)
    local like = {}
    for _, run in ipairs(free) do
      like[run] = similarity(run, hunk)
    end
    table.sort(free, function(a, b)
      if like[a] ~= like[b] then
        return like[a] > like[b]
      end
      return math.abs(a.line - hunk.line - 1) < math.abs(b.line - hunk.line - 1)
    end)
    -- Hunks that came to touch are one by now, as long as it has room for their lines.
    local room = hunk.newLines + hunk.oldLines
    for number, run in ipairs(free) do
      local lines = #run.added + #run.removed
      if number == 1 or like[run] == 2 and lines <= room then
        matched[run] = one
        room = room - lines
      end
    end
  end
  return matched
end

return M
