--- `undo [turn [NUMBER]|call|all]`: undoes the agent's file changes; the user's own text stays.
---
--- Without an argument it undoes the last turn that has something left to undo: the daemon knows, so the plugin tries each turn
--- from the last to the first.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods
local undo_report = require("copydesk.undo_report")

local M = { summary = "undo [turn [N]|call|all]: undo the agent's file changes" }

--- How many parts one request loads.
local PAGE = 1000

--- The calls of a session, the last first.
---@param view copydesk.View
---@return copydesk.PartInfo[]
local function latest_calls(view)
  local found = {}
  for at = #view.parts, 1, -1 do
    if view.parts[at].content.kind == "call" then
      found[#found + 1] = view.parts[at]
    end
  end
  return found
end

--- Tries each scope until one has something to undo.
---@param view copydesk.View
---@param candidates copydesk.UndoScope[]
local function undo_first(view, candidates)
  for _, what in ipairs(candidates) do
    local files = require("copydesk.undo").undo(view, what)
    if not files then
      return
    elseif #files > 0 then
      return undo_report.report(files, "undone")
    end
  end
  message.info("there is nothing to undo")
end

---@param view copydesk.View
local function last_turn(view)
  local turns, known = {}, {}
  for _, part in ipairs(latest_calls(view)) do
    if not known[part.turn] then
      known[part.turn] = true
      turns[#turns + 1] = { turn = part.turn }
    end
  end
  undo_first(view, turns)
end

---@param view copydesk.View
local function last_call(view)
  undo_first(view, vim.tbl_map(function(part)
    return { call = part.id }
  end, latest_calls(view)))
end

--- Undoes everything after the first part, which is a prompt.
---@param view copydesk.View
local function everything(view)
  local first, is_earlier = view.parts[1], view.earlier
  while first and is_earlier do
    local params = { session = view.id, before = first.id, limit = PAGE }
    local problem, result = client.ask(methods.sessionParts, params)
    if not result then
      return undo_report.report_error(problem)
    end
    first, is_earlier = result.parts[1] or first, result.earlier
  end
  undo_first(view, first and { { after = first.id } } or {})
end

function M.run(args)
  local view = require("copydesk.session").current()
  if not view then
    return message.info("no session is open, so there is nothing to undo; `:Copydesk sessions` opens one")
  end
  local what, number = args[1] or "turn", tonumber((args[2] or ""):match("^%d+$"))
  if what == "turn" and number then
    undo_first(view, { { turn = number } })
  elseif what == "turn" and not args[2] then
    last_turn(view)
  elseif what == "call" and not args[2] then
    last_call(view)
  elseif what == "all" and not args[2] then
    everything(view)
  else
    local given = table.concat(args, " ")
    message.error(("`undo` takes `turn`, `turn NUMBER`, `call` or `all`, not `%s`"):format(given))
  end
end

function M.complete(lead, args)
  return #args == 0 and require("copydesk.command").beginning({ "turn", "call", "all" }, lead) or {}
end

return M
