--- The list of changes by turn of a session, the latest first, with undo and redo.
---
--- Contract: shows the current session and follows it. In a long session it shows the loaded turns; the user can load more.
--- The latest turn starts open; what the user folds or unfolds stays so while the list is open.

local message = require("copydesk.message")
local panel = require("copydesk.panel")
local rows = require("copydesk.changes.rows")
local session = require("copydesk.session")
local undo = require("copydesk.undo")

local M = {}

---@type table<string, boolean> Which rows are open, by row key.
local opened = {}
---@type string? The id of the session shown.
local shown

---@param item copydesk.ChangeItem
---@return boolean
local function is_open(item)
  if opened[item.key] == nil and item.is_latest then
    -- It stays open when a later turn comes.
    opened[item.key] = true
  end
  if opened[item.key] ~= nil then
    return opened[item.key]
  end
  return item.kind ~= "turn"
end

---@return copydesk.PanelRow[]
local function build_rows()
  local view = session.current()
  if not view then
    return { { key = "", chunks = { { "No session is open.", "CopydeskDim" } } } }
  end
  if view.id ~= shown then
    shown, opened = view.id, {}
  end
  local found = rows.all(view, is_open)
  if #found == 0 then
    found[1] = { key = "", chunks = { { "The session is empty.", "CopydeskDim" } } }
  end
  return found
end

--- The other files that an undo of this file's calls would change, as display names.
---@param item copydesk.ChangeItem Of a file.
---@return string[]
local function others_of(item)
  local calls, others = {}, {}
  for _, call in ipairs(item.file.calls) do
    calls[call.part.id] = true
  end
  for _, file in ipairs(item.turn.files) do
    local goes_along = file ~= item.file
      and vim.iter(file.calls):any(function(call)
        return calls[call.part.id] and not call.is_undone
      end)
    if goes_along then
      local name = require("copydesk.buffer").shown(vim.uri_from_fname(file.path)):gsub("%c", " ")
      others[#others + 1] = ("`%s`"):format(name)
    end
  end
  return others
end

--- Undoes the changes of a row, and reports the outcome.
---@param item copydesk.ChangeItem
function M.undo(item)
  local view = session.current()
  local scopes = {} ---@type copydesk.UndoScope[]
  if item.kind == "hunk" then
    return message.info("a single hunk cannot be undone; press `u` on its call, its file or its turn")
  elseif item.kind == "turn" then
    scopes[1] = { turn = item.turn.number }
  elseif item.call then
    scopes[1] = { call = item.call.part.id }
  elseif item.file then
    local others = others_of(item)
    if #others > 0 then
      local names = table.concat(others, ", ")
      return message.info(("the same call also changed %s; press `u` on the call to undo all of it"):format(names))
    end
    for _, call in ipairs(item.file.calls) do
      table.insert(scopes, 1, { call = call.part.id })
    end
  end
  local done = {}
  for _, what in ipairs(view and scopes or {}) do
    local files = undo.undo(view, what)
    if not files then
      return
    end
    vim.list_extend(done, files)
  end
  if #done == 0 then
    return message.info("there is nothing to undo")
  end
  require("copydesk.undo_report").report(done, "undone")
end

--- Accepts undecided hunks.
---@param left copydesk.Undecided[]
local function accept(left)
  if #left == 0 then
    return message.info("nothing in it is undecided")
  end
  require("copydesk.review.decide").all(vim.tbl_map(function(undecided)
    local hunk = undecided.hunk or undecided.one.file
    local decision = { hunk = hunk.hunk, expected = hunk.expected, verdict = "accept" }
    return { session = undecided.one.session, decision = decision }
  end, left))
end

---@type copydesk.Panel
local list

---@param item copydesk.ChangeItem
local function toggle(item)
  local view = session.current()
  if item.kind == "earlier" then
    return view and session.load_earlier(view, function(problem)
      if problem then
        message.error(problem)
      end
    end)
  end
  -- A hunk cannot open or close: close its call.
  local key = item.kind == "hunk" and item.below or item.key
  opened[key] = not is_open({ kind = item.kind, key = key, left = {} })
  panel.update(list)
  panel.go(list, key)
end

---@param item copydesk.ChangeItem
local function enter(item)
  if not item.file then
    return toggle(item)
  end
  if require("copydesk.changes.jump").go(item) then
    panel.keep(list)
  end
end

--- Accepts all hunks of the turn that a row belongs to.
---@param item copydesk.ChangeItem
local function accept_turn(item)
  for _, row in ipairs(item.turn and build_rows() or {}) do
    if row.key == rows.key(item.turn.number) then
      return accept(row.item.left)
    end
  end
end

local function redo()
  local view = session.current()
  if view then
    undo.redo(view)
  end
end

---@param lhs string
---@param says string
---@param run fun(item: copydesk.ChangeItem)
---@return copydesk.PanelKey
local function key(lhs, says, run)
  return {
    lhs = lhs,
    modes = { "n" },
    says = says,
    run = function(items)
      run(items[1])
    end,
  }
end

list = {
  name = "changes",
  title = "Changes",
  help = "u undo  r redo  a accept  A accept the turn  <Tab> fold  <CR> go there",
  rows = build_rows,
  keys = {
    key("<CR>", "go to the place; open or close a turn; load earlier turns", enter),
    key("<Tab>", "open or close", toggle),
    key("za", "open or close", toggle),
    key("u", "undo the turn, the file or the call", M.undo),
    key("r", "redo the last undo", redo),
    key("<C-r>", "redo the last undo", redo),
    key("a", "accept what is undecided in it", function(item)
      accept(item.left)
    end),
    key("A", "accept what is undecided in the turn", accept_turn),
  },
  show = function(item)
    require("copydesk.changes.jump").preview(item)
  end,
}

--- Loads earlier parts until a turn is there. Call it in a coroutine.
---@param view copydesk.View
---@param turn integer
---@return boolean is_there
local function load_until(view, turn)
  local function is_there()
    return view.parts[1] ~= nil and view.parts[1].turn <= turn and view.parts[#view.parts].turn >= turn
  end
  while view.earlier and view.parts[1] and view.parts[1].turn >= turn do
    local before = view.parts[1]
    local problem = require("copydesk.await").await(function(done)
      session.load_earlier(view, done)
    end)
    if problem or view.parts[1] == before then
      message.error(problem or "could not load the earlier part of the conversation; try again")
      return is_there()
    end
  end
  if not is_there() then
    message.info(("the session has no turn %d"):format(turn))
  end
  return is_there()
end

--- Shows the list and puts the cursor in it. Call it in a coroutine.
---@param turn? integer The turn to go to.
function M.open(turn)
  local view = session.current()
  if not view then
    return message.info("there is no session; `:Copydesk sessions` opens one")
  elseif not require("copydesk.scratch").can_open() or turn and not load_until(view, turn) then
    return
  end
  if not panel.is_open(list) or view.id ~= shown then
    shown, opened = view.id, {}
  end
  if turn then
    opened[rows.key(turn)] = true
  end
  panel.open(list, require("copydesk.config").get().review.list)
  if turn then
    panel.go(list, rows.key(turn))
  end
end

local is_due = false

local function update()
  if not is_due and panel.is_open(list) then
    is_due = true
    vim.schedule(function()
      is_due = false
      panel.update(list)
    end)
  end
end

require("copydesk.review").listen(update)
undo.listen(update)
session.listen(function(view, what, part)
  local is_about = view == session.current() or view.id == shown
  local is_relevant = what ~= "delta" and (what ~= "part" or part.content.kind == "call" or part.content.kind == "prompt")
  if is_about and is_relevant then
    update()
  end
end)

return M
