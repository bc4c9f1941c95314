--- Undoes and redoes the agent's file changes, and remembers what this Neovim has undone.
---
--- Contract: the daemon does the work and keeps the user's own text. `undo` and `redo` are called in a coroutine; they report errors
--- to the user. The daemon does not report what is undone at the moment, so it is remembered here; an undo by another editor or a
--- terminal stays unknown.

local client = require("copydesk.client")
local methods = require("copydesk.protocol").methods
local undo_report = require("copydesk.undo_report")

local M = {}

---@class copydesk.UndoRecord
---@field what copydesk.UndoScope
---@field turn integer The last turn at that time.
---@field left table<string, true> Files that were left as they are, or were redone.

---@type table<string, copydesk.UndoRecord[]> By session, the latest last.
local records_by_session = {}
---@type fun()[]
local listeners = {}

--- Registers a listener for undo and redo.
---@param listener fun()
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

local function notify_listeners()
  for _, listener in ipairs(listeners) do
    listener()
  end
end

---@param uri string
---@return string
local function path_of(uri)
  local is_file, path = pcall(vim.uri_to_fname, uri)
  return is_file and path or uri
end

---@param files copydesk.UndoneFile[]
---@param outcome copydesk.UndoOutcome
---@return boolean
local function has(files, outcome)
  return vim.iter(files):any(function(file)
    return file.outcome == outcome
  end)
end

---@param view copydesk.View
---@param method string
---@param params table
---@return copydesk.UndoResult?
local function ask(view, method, params)
  local problem, result, code = client.await_request(method, vim.tbl_extend("error", { session = view.id }, params))
  if not result then
    undo_report.report_error(problem, code)
    return nil
  end
  return result
end

--- Undoes a scope, or without one the last turn that has something left to undo.
---@param view copydesk.View
---@param what copydesk.UndoScope?
---@return copydesk.UndoneFile[]? files Nil on an error, which was reported.
function M.undo(view, what)
  local last = view.parts[#view.parts]
  local result = ask(view, methods.undo, { what = what })
  local files = result and result.files
  if not result or not files or not has(files, "undone") then
    return files
  end
  local record = { what = what or { turn = result.turn }, turn = last and last.turn or 0, left = {} }
  for _, file in ipairs(files) do
    if file.outcome == "conflict" or file.outcome == "gone" then
      record.left[path_of(file.uri)] = true
    end
  end
  records_by_session[view.id] = records_by_session[view.id] or {}
  table.insert(records_by_session[view.id], record)
  notify_listeners()
  return files
end

--- Redoes the last undo, and reports the outcome.
---@param view copydesk.View
function M.redo(view)
  local result = ask(view, methods.redo, {})
  local files = result and result.files
  if not files then
    return
  elseif #files == 0 then
    return require("copydesk.message").info("there is nothing to redo")
  end
  local records = records_by_session[view.id] or {}
  local record = records[#records]
  if record and not has(files, "conflict") and not has(files, "gone") then
    table.remove(records)
  elseif record then
    for _, file in ipairs(files) do
      record.left[path_of(file.uri)] = file.outcome == "undone" or record.left[path_of(file.uri)]
    end
  end
  undo_report.report(files, "redone")
  notify_listeners()
end

---@param view copydesk.View
---@param record copydesk.UndoRecord
---@param part copydesk.PartInfo
---@return boolean
local function covers(view, record, part)
  local what = record.what
  if part.turn > record.turn then
    return false
  elseif what.after then
    return (view.at[what.after] or 0) < view.at[part.id]
  elseif what.call then
    -- Undoing a `batch` undoes its calls.
    return what.call == part.id or what.call == part.content.parent
  end
  return what.turn == part.turn
end

--- Whether this Neovim has undone a call's change of a file.
---@param view copydesk.View
---@param part copydesk.PartInfo
---@param path string
---@return boolean
function M.is_undone(view, part, path)
  for _, record in ipairs(records_by_session[view.id] or {}) do
    if covers(view, record, part) and not record.left[path] then
      return true
    end
  end
  return false
end

return M
