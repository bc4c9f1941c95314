--- `undo [turn [NUMBER]|call|all]`: undoes the agent's file changes; the user's own text stays.
---
--- Without an argument it undoes the last turn that has something left to undo, which the daemon finds.

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

--- Undoes a scope, or without one the last turn that has something left to undo; reports the outcome.
---@param view copydesk.View
---@param what copydesk.UndoScope?
---@return boolean ended False if there was nothing to undo.
local function undo_scope(view, what)
  local files = require("copydesk.undo").undo(view, what)
  if files and #files > 0 then
    undo_report.report(files, "undone")
  end
  return not files or #files > 0
end

local function report_nothing()
  message.info("there is nothing to undo")
end

---@param view copydesk.View
local function last_call(view)
  for _, part in ipairs(latest_calls(view)) do
    if undo_scope(view, { call = part.id }) then
      return
    end
  end
  report_nothing()
end

--- Undoes everything after the first part, which is a prompt.
---@param view copydesk.View
local function everything(view)
  local first, is_earlier = view.parts[1], view.earlier
  while first and is_earlier do
    local params = { session = view.id, before = first.id, limit = PAGE }
    local problem, result = client.await_request(methods.sessionParts, params)
    if not result then
      return undo_report.report_error(problem)
    end
    first, is_earlier = result.parts[1] or first, result.earlier
  end
  if not first or not undo_scope(view, { after = first.id }) then
    report_nothing()
  end
end

function M.run(args)
  local view = require("copydesk.session").current()
  if not view then
    return message.info("no session is open, so there is nothing to undo; `:Copydesk sessions` opens one")
  end
  local what, number = args[1] or "turn", tonumber((args[2] or ""):match("^%d+$"))
  if what == "turn" and (number or not args[2]) then
    if not undo_scope(view, number and { turn = number } or nil) then
      report_nothing()
    end
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
