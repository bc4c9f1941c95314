--- What the turns of a session changed: by turn, by file, by call.
---
--- Contract: pure; covers the loaded parts, the latest turn first. A failed call changed nothing, except a task: its agent's
--- earlier edits stand. A call whose edit waits for approval has no figures yet.

local changed = require("copydesk.chat.changed")
local summary = require("copydesk.chat.summary")

local M = {}

---@class copydesk.TurnCall
---@field part copydesk.PartInfo
---@field model? string
---@field diff? string
---@field is_undone boolean

---@class copydesk.TurnFile
---@field path string
---@field calls copydesk.TurnCall[] In their order.
---@field additions integer
---@field deletions integer

---@class copydesk.TurnChanges
---@field number integer
---@field words string The beginning of the prompt.
---@field files copydesk.TurnFile[] In the order in which they were changed first.
---@field additions integer
---@field deletions integer

--- How many characters of a prompt are shown.
local WORDS = 40

---@param text any
---@return string
local function words_of(text)
  local line = vim.trim((tostring(text):sub(1, 1000):gsub("[%c%s]+", " ")))
  if #line <= WORDS or vim.fn.strchars(line) <= WORDS then
    return line
  end
  return vim.fn.strcharpart(line, 0, WORDS - 1) .. "…"
end

--- The files that a call changed; empty if it changed none or reports none.
---@param call copydesk.CallInfo
---@return copydesk.ChangedFile[]
local function changes_of(call)
  local has_done = call.output and (not call.output.isError or call.name == "task")
  local files = has_done and changed.files(call.output.metadata) or {}
  return vim.tbl_filter(function(file)
    return file.diff or file.additions or file.deletions
  end, files)
end

--- The files for which a running call proposes edits.
---@param part copydesk.PartInfo
---@param waiting table<string, copydesk.Undecided[]>
---@return copydesk.ChangedFile[]
local function proposals_of(part, waiting)
  local files, known = {}, {}
  for _, found in ipairs(not part.content.output and waiting[part.id] or {}) do
    local is_file, path = pcall(vim.uri_to_fname, found.one.uri)
    if is_file and not known[path] then
      known[path] = true
      files[#files + 1] = { path = path }
    end
  end
  return files
end

---@param turn copydesk.TurnChanges
---@param path string
---@return copydesk.TurnFile
local function file_in(turn, path)
  for _, file in ipairs(turn.files) do
    if file.path == path then
      return file
    end
  end
  local file = { path = path, calls = {}, additions = 0, deletions = 0 }
  table.insert(turn.files, file)
  return file
end

--- The changes of each turn.
---@param view copydesk.View
---@param waiting table<string, copydesk.Undecided[]> Undecided hunks, by call.
---@return copydesk.TurnChanges[]
function M.of(view, waiting)
  local turns, by_number, models = {}, {}, {}
  local undo = require("copydesk.undo")
  for _, part in ipairs(view.parts) do
    local turn, content = by_number[part.turn], part.content
    if not turn then
      turn = { number = part.turn, words = "", files = {}, additions = 0, deletions = 0 }
      by_number[part.turn] = turn
      turns[#turns + 1] = turn
    end
    if content.kind == "prompt" and turn.words == "" then
      turn.words = words_of(content.text)
    elseif content.kind == "stepStart" then
      models[turn] = content.model
    elseif content.kind == "call" then
      local changes = changes_of(content)
      for _, change in ipairs(#changes > 0 and changes or proposals_of(part, waiting)) do
        local file = file_in(turn, change.path)
        local is_undone = undo.is_undone(view, part, change.path)
        table.insert(file.calls, { part = part, model = models[turn], diff = change.diff, is_undone = is_undone })
        for _, sum in ipairs({ file, turn }) do
          sum.additions = sum.additions + (change.additions or 0)
          sum.deletions = sum.deletions + (change.deletions or 0)
        end
      end
    end
  end
  return vim.iter(turns):rev():totable()
end

--- The state of a call, and its summary in one line.
---@param call copydesk.TurnCall
---@return string state
---@return string title
function M.title(call)
  return summary.state(call.part), summary.of(call.part)
end

return M
