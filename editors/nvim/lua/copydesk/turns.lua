--- What the turns of a session changed: for each turn its prompt, and the calls that changed files, the latest turn first.
---
--- Contract: of the parts that are loaded. Undoing asks the desk, which leaves what the person wrote; nothing is hidden here.

local panel = require("copydesk.panel")

local M = {}

---@class copydesk.TurnItem
---@field turn integer
---@field part? copydesk.Part The call; none where the row is the turn.

---@param part copydesk.Part
---@return table?
local function change_of(part)
  local output = part.content.kind == "call" and part.content.output
  local metadata = output and output.metadata
  return type(metadata) == "table" and type(metadata.diff) == "string" and metadata or nil
end

--- How many hunks of a call are undecided.
---@param id string
---@return integer
local function undecided(id)
  local count = 0
  for _, one in ipairs(require("copydesk.review.state").all()) do
    for _, hunk in pairs(one.hunks) do
      count = count + (vim.list_contains(hunk.by, id) and 1 or 0)
    end
  end
  return count
end

---@param part copydesk.Part
---@return copydesk.PanelRow
local function call_row(part)
  local left = undecided(part.id)
  return {
    key = part.id,
    item = { turn = part.turn, part = part },
    chunks = {
      { "    " .. require("copydesk.chat.summary").of(part), "Normal" },
      { left > 0 and ("  %d undecided"):format(left) or "", "CopydeskAsk" },
    },
  }
end

---@param turn integer
---@param words string
---@param changes table[]
---@return copydesk.PanelRow
local function turn_row(turn, words, changes)
  local files, additions, deletions = {}, 0, 0
  for _, change in ipairs(changes) do
    files[change.filepath or change.diff] = true
    additions, deletions = additions + (change.additions or 0), deletions + (change.deletions or 0)
  end
  local count = vim.tbl_count(files)
  local figures = require("copydesk.review.summary").figures(additions, deletions)
  return {
    key = "turn " .. turn,
    item = { turn = turn },
    chunks = {
      { ("Turn %d"):format(turn), "CopydeskTitle" },
      { ("  %s  %s"):format(count == 1 and "1 file" or ("%d files"):format(count), figures), "Normal" },
      { words ~= "" and "  " .. words or "", "CopydeskDim" },
    },
  }
end

--- The rows of a session.
---@param view? copydesk.View
---@return copydesk.PanelRow[]
local function rows_of(view)
  local words, calls, changes, order = {}, {}, {}, {}
  for _, part in ipairs(view and view.parts or {}) do
    local change = change_of(part)
    if part.content.kind == "prompt" then
      local text = vim.trim((part.content.text:gsub("%c+", " ")))
      words[part.turn] = words[part.turn] or vim.fn.strcharpart(text, 0, 60)
    elseif change then
      if not calls[part.turn] then
        calls[part.turn], changes[part.turn] = {}, {}
        table.insert(order, 1, part.turn)
      end
      table.insert(calls[part.turn], call_row(part))
      table.insert(changes[part.turn], change)
    end
  end
  local rows = {}
  for _, turn in ipairs(order) do
    rows[#rows + 1] = turn_row(turn, words[turn] or "", changes[turn])
    vim.list_extend(rows, calls[turn])
  end
  if #rows == 0 then
    rows[1] = { key = "", chunks = { { "No turn has changed a file.", "CopydeskDim" } } }
  end
  return rows
end

---@return copydesk.View?
local function current()
  return require("copydesk.session").current()
end

---@param item copydesk.TurnItem
local function undo(item)
  local view, undone = current(), require("copydesk.undone")
  if not view then
    return
  end
  local what = item.part and { call = item.part.id } or { turn = item.turn }
  local method = require("copydesk.protocol").methods.undo
  local problem, result, code = require("copydesk.client").ask(method, { session = view.id, what = what })
  if not result then
    undone.refused(problem, code)
  elseif #result.files == 0 then
    require("copydesk.message").info("there is nothing to take back")
  else
    undone.tell(result.files, "undone")
  end
end

--- Where a call changed something.
---@param item copydesk.TurnItem
---@return copydesk.Place?
local function place_of(item)
  local view = current()
  local change = item.part and change_of(item.part)
  if not view or not change then
    return nil
  end
  local lines = vim.split(change.diff, "\n")
  return require("copydesk.chat.jump").place(item.part, lines, 1, view.session.folder)
end

---@type copydesk.Panel
local list
list = {
  name = "turns",
  title = "What the turns changed",
  help = "u undo  <C-r> redo  <CR> go there",
  rows = function()
    return rows_of(current())
  end,
  keys = {
    {
      lhs = "u",
      modes = { "n" },
      says = "undo the turn, or the call",
      run = function(items)
        undo(items[1])
      end,
    },
    {
      lhs = "<C-r>",
      modes = { "n" },
      says = "redo what was undone last",
      run = function()
        require("copydesk.command").run({ "redo" })
      end,
    },
    {
      lhs = "<CR>",
      modes = { "n" },
      says = "go to the change",
      run = function(items)
        local place = place_of(items[1])
        if place then
          panel.keep(list)
          require("copydesk.chat.jump").go(place)
        end
      end,
    },
  },
}

--- Shows the list, with the cursor in it.
function M.open()
  if not current() then
    return require("copydesk.message").info("there is no session; `:Copydesk sessions` opens one")
  end
  panel.open(list, require("copydesk.config").get().review.list)
end

local function update()
  panel.update(list)
end

require("copydesk.review").listen(vim.schedule_wrap(update))
require("copydesk.session").listen(function(_, what, part)
  if what == "loaded" or what == "session" or what == "part" and change_of(part) then
    vim.schedule(update)
  end
end)

return M
