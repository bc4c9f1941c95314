--- The rows of the list of changes: one per turn, below it its files, their calls and the hunks of each call.
---
--- Contract: closed turns and calls only get their figures; their diffs are not parsed. A row has no line breaks.

local diff = require("copydesk.changes.diff")
local review = require("copydesk.review.summary")
local turns = require("copydesk.changes.turns")
local undecided = require("copydesk.changes.undecided")

local M = {}

--- How many hunks of a call are shown.
local MAX_HUNKS = 100

---@class copydesk.ChangeItem
---@field kind "turn"|"file"|"call"|"hunk"|"earlier"
---@field key string
---@field turn? copydesk.TurnChanges
---@field file? copydesk.TurnFile
---@field call? copydesk.TurnCall
---@field hunk? copydesk.DiffHunk
---@field below? string The key of the call that owns the hunk.
---@field is_latest? boolean The latest turn that changed something.
---@field left copydesk.Undecided[] Its undecided hunks.

--- Parsed diffs, kept while their parts live.
---@type table<copydesk.PartInfo, { diff: string, hunks: copydesk.DiffHunk[], is_new: boolean }>
local read = setmetatable({}, { __mode = "k" })

---@param call copydesk.TurnCall
---@return { hunks: copydesk.DiffHunk[], is_new: boolean }
local function diff_of(call)
  local known = read[call.part]
  if not known or known.diff ~= call.diff then
    local hunks, is_new = diff.read(call.diff)
    known = { diff = call.diff, hunks = hunks, is_new = is_new }
    read[call.part] = known
  end
  return known
end

--- The hunks of a call, each with its undecided hunk of the review. For a proposed edit they are those of the review.
---@param call copydesk.TurnCall
---@param left copydesk.Undecided[]
---@return { hunk: copydesk.DiffHunk, left?: copydesk.Undecided }[]
local function hunks_of(call, left)
  if call.diff then
    local hunks = diff_of(call).hunks
    local matched = undecided.match(hunks, left)
    return vim.tbl_map(function(hunk)
      return { hunk = hunk, left = matched[hunk] }
    end, hunks)
  end
  local found = {}
  for _, one in ipairs(left) do
    if one.hunk then
      local hunk = { line = one.hunk.line + 1, added = one.hunk.new, removed = one.hunk.old }
      found[#found + 1] = { hunk = hunk, left = one }
    end
  end
  return found
end

---@param calls copydesk.TurnCall[]
---@return string
local function undone_of(calls)
  local count = 0
  for _, call in ipairs(calls) do
    count = count + (call.is_undone and 1 or 0)
  end
  return count == 0 and "" or count == #calls and "  undone" or "  partly undone"
end

---@param count integer
---@return string
local function count_of(count)
  return count > 0 and ("  %d undecided"):format(count) or ""
end

---@param text string
---@return string
local function spaced(text)
  return text ~= "" and "  " .. text or ""
end

---@param left? copydesk.Undecided
---@return string
local function state_of(left)
  if not left then
    return ""
  elseif left.hunk.deciding then
    return "  being decided"
  elseif left.one.when == "before" then
    return "  waits for you"
  end
  return left.hunk.edited and "  undecided, changed by you" or "  undecided"
end

---@param turn copydesk.TurnChanges
---@param calls copydesk.TurnCall[]
---@param left copydesk.Undecided[]
---@param is_open boolean
---@return string[][]
local function turn_row(turn, calls, left, is_open)
  local sign = #calls == 0 and " " or is_open and "▾" or "▸"
  local files = #turn.files == 1 and "1 file" or ("%d files"):format(#turn.files)
  local amount = #calls > 0 and files .. spaced(review.figures(turn.additions, turn.deletions)) or "no changes"
  return {
    { ("%s Turn %d"):format(sign, turn.number), #calls > 0 and "CopydeskTitle" or "CopydeskDim" },
    { spaced(turn.words), #calls > 0 and "Normal" or "CopydeskDim" },
    { spaced(amount), "CopydeskDim" },
    { count_of(#left), "CopydeskAsk" },
    { undone_of(calls), "CopydeskError" },
  }
end

---@param file copydesk.TurnFile
---@param left copydesk.Undecided[]
---@param is_open boolean
---@return string[][]
local function file_row(file, left, is_open)
  local first = file.calls[1]
  local name = require("copydesk.buffer").shown(vim.uri_from_fname(file.path)):gsub("%c", " ")
  return {
    { ("  %s %s"):format(is_open and "▾" or "▸", name), "Normal" },
    { spaced(review.figures(file.additions, file.deletions)), "CopydeskDim" },
    { diff_of(first).is_new and "  new file" or "", "CopydeskDim" },
    { count_of(#left), "CopydeskAsk" },
    { undone_of(file.calls), "CopydeskError" },
  }
end

---@param call copydesk.TurnCall
---@param is_open boolean
---@return string[][]
local function call_row(call, is_open)
  local state, title = turns.title(call)
  local icon = require("copydesk.config").get().icons[state] or "·"
  return {
    { ("    %s "):format(is_open and "▾" or "▸"), "Normal" },
    { icon, require("copydesk.chat.render").groups[state] or "Normal" },
    { " " .. title, "Normal" },
    { spaced((call.model or ""):gsub("%c", " ")), "CopydeskDim" },
    { call.is_undone and "  undone" or "", "CopydeskError" },
  }
end

---@param hunk copydesk.DiffHunk
---@param left? copydesk.Undecided
---@return string[][]
local function hunk_row(hunk, left)
  local drawn = { new = hunk.added, old = hunk.removed, newLines = #hunk.added, oldLines = #hunk.removed }
  return {
    { ("%12d  "):format(hunk.line), "CopydeskDim" },
    { review.hunk(nil, drawn), "Normal" },
    { state_of(left), "CopydeskAsk" },
  }
end

---@class copydesk.ChangeRows
---@field rows copydesk.PanelRow[]
---@field is_open fun(item: copydesk.ChangeItem): boolean
---@field by_call table<string, copydesk.Undecided[]>

---@param into copydesk.ChangeRows
---@param item copydesk.ChangeItem
---@param chunks string[][]
local function add(into, item, chunks)
  table.insert(into.rows, { key = item.key, item = item, chunks = chunks })
end

---@param into copydesk.ChangeRows
---@param parent copydesk.ChangeItem The call.
local function add_hunks(into, parent)
  local hunks = hunks_of(parent.call, parent.left)
  for number = 1, math.min(#hunks, MAX_HUNKS) do
    local one = hunks[number]
    local own = { kind = "hunk", key = ("%s#%d"):format(parent.key, number), hunk = one.hunk, left = { one.left } }
    own.below = parent.key
    add(into, vim.tbl_extend("force", parent, own), hunk_row(one.hunk, one.left))
  end
  if #hunks > MAX_HUNKS then
    local text = ("%14s… %d more"):format("", #hunks - MAX_HUNKS)
    table.insert(into.rows, { key = parent.key .. "…", chunks = { { text, "CopydeskDim" } } })
  end
end

---@param into copydesk.ChangeRows
---@param parent copydesk.ChangeItem The turn.
---@param file copydesk.TurnFile
local function add_file(into, parent, file)
  local item = { kind = "file", key = ("%s/%s"):format(parent.key, file.path), turn = parent.turn, file = file }
  item.left = undecided.of(file.calls, into.by_call, file.path)
  add(into, item, file_row(file, item.left, into.is_open(item)))
  for _, call in ipairs(into.is_open(item) and file.calls or {}) do
    -- A call that changed several files has a row below each of them.
    local key = ("%s/%s"):format(item.key, call.part.id)
    local call_item = { kind = "call", key = key, turn = parent.turn, file = file, call = call }
    call_item.left = undecided.of({ call }, into.by_call, file.path)
    add(into, call_item, call_row(call, into.is_open(call_item)))
    if into.is_open(call_item) then
      add_hunks(into, call_item)
    end
  end
end

--- All rows of a session.
---@param view copydesk.View
---@param is_open fun(item: copydesk.ChangeItem): boolean
---@return copydesk.PanelRow[]
function M.all(view, is_open)
  local into = { rows = {}, is_open = is_open, by_call = undecided.by_call(view.id) }
  local is_latest = true
  for _, turn in ipairs(turns.of(view, into.by_call)) do
    local calls = {}
    for _, file in ipairs(turn.files) do
      vim.list_extend(calls, file.calls)
    end
    local item = { kind = "turn", key = M.key(turn.number), turn = turn, is_latest = is_latest and #calls > 0 }
    item.left = undecided.of(calls, into.by_call)
    local is_shown = #calls > 0 and is_open(item)
    is_latest = is_latest and #calls == 0
    add(into, item, turn_row(turn, calls, item.left, is_shown))
    for _, file in ipairs(is_shown and turn.files or {}) do
      add_file(into, item, file)
    end
  end
  if view.earlier then
    add(into, { kind = "earlier", key = "earlier", left = {} }, { { "… earlier turns", "CopydeskDim" } })
  end
  return into.rows
end

--- The key of a turn's row.
---@param turn integer
---@return string
function M.key(turn)
  return ("turn %d"):format(turn)
end

return M
