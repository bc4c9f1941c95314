--- What the turns of a session did to files: by turn, by file, by call.
---
--- Contract: pure; of the parts that are loaded, the latest turn first. A call that failed did nothing. A call that waits with
--- its edit has no figures yet.

local summary = require("copydesk.chat.summary")

local M = {}

---@class copydesk.TurnCall
---@field part copydesk.Part
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
---@field words string The beginning of its prompt.
---@field files copydesk.TurnFile[] In the order in which they were changed first.
---@field additions integer
---@field deletions integer

--- So many letters of a prompt are shown.
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

--- What a call did to a file: nothing, where it did nothing or that is not known.
---@param call copydesk.Call
---@return { path: string, diff?: string, additions: integer, deletions: integer }?
local function change_of(call)
  local metadata = call.output and not call.output.isError and call.output.metadata
  if type(metadata) ~= "table" or type(metadata.filepath) ~= "string" then
    return nil
  end
  local additions, deletions = tonumber(metadata.additions), tonumber(metadata.deletions)
  local diff = type(metadata.diff) == "string" and metadata.diff or nil
  if not diff and not additions and not deletions then
    return nil
  end
  return { path = metadata.filepath, diff = diff, additions = additions or 0, deletions = deletions or 0 }
end

--- The file that a call under way is about, where an edit of it waits.
---@param part copydesk.Part
---@param waiting table<string, copydesk.Undecided[]>
---@return { path: string, additions: integer, deletions: integer }?
local function proposal_of(part, waiting)
  local found = not part.content.output and waiting[part.id]
  if not found then
    return nil
  end
  local is_file, path = pcall(vim.uri_to_fname, found[1].one.uri)
  return is_file and { path = path, additions = 0, deletions = 0 } or nil
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

--- The turns.
---@param view copydesk.View
---@param waiting table<string, copydesk.Undecided[]> What is undecided, by call.
---@return copydesk.TurnChanges[]
function M.of(view, waiting)
  local turns, by_number, models = {}, {}, {}
  local takeback = require("copydesk.takeback")
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
      local change = change_of(content) or proposal_of(part, waiting)
      if change then
        local file = file_in(turn, change.path)
        local is_undone = takeback.is_undone(view, part, change.path)
        table.insert(file.calls, { part = part, model = models[turn], diff = change.diff, is_undone = is_undone })
        for _, sum in ipairs({ file, turn }) do
          sum.additions, sum.deletions = sum.additions + change.additions, sum.deletions + change.deletions
        end
      end
    end
  end
  return vim.iter(turns):rev():totable()
end

--- How a call is, and what it did, in a line.
---@param call copydesk.TurnCall
---@return string state
---@return string title
function M.title(call)
  local content = call.part.content --[[@as copydesk.Call]]
  local state = content.output and content.output.isError and "error" or call.part.state.kind
  return state, summary.of(call.part)
end

return M
