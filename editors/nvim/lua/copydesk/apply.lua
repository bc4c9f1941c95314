--- The plugin's own `workspace/applyEdit`: applies the agent's edits to the user's buffers.
---
--- Contract: every edit is validated before any buffer changes, and either all documents get their edits or none does.
--- The response is true even if another plugin's callback fails meanwhile. One call is one undo step per buffer, separate
--- from what the user types before and after it. Only text changes: no buffer is loaded, listed, shown or saved (a buffer
--- that equals its file again is not modified); cursors, views, selections, marks, folds, registers and the jumplist stay.
---
--- An edit that comes too late is refused, because the session was told that it failed. So is one for another text than
--- the buffer has, whatever its version: then the daemon gets the whole text, and tries again.
---
--- The user's pending changes reach the daemon before the response, so that a rejection never precedes its reason.

local buffer = require("copydesk.buffer")
local editor_state = require("copydesk.apply.editor_state")
local join = require("copydesk.apply.join")
local mid_command = require("copydesk.apply.mid_command")
local ranges_of = require("copydesk.apply.ranges")
local replace = require("copydesk.apply.replace")

local M = {}

---@type table<integer, integer> The changedtick of the last change made here, by buffer.
local own_ticks = {}

--- Whether the last change of a buffer was made here, so that the daemon already knows it.
---@param bufnr integer
---@return boolean
function M.is_last(bufnr)
  return own_ticks[bufnr] == vim.api.nvim_buf_get_changedtick(bufnr)
end

--- Drops a closed buffer.
---@param bufnr integer
function M.forget(bufnr)
  own_ticks[bufnr] = nil
end

--- A document and the edits to apply to it.
---@class copydesk.EditTarget
---@field uri string
---@field bufnr integer
---@field version integer
---@field ranges copydesk.ByteRange[]
---@field changes copydesk.ByteRange[] The ranges, joined to few.

--- Why a buffer cannot take an edit for a version.
---@param bufnr integer
---@param version integer
---@return string?
local function rejection_reason(bufnr, version)
  local now, options = buffer.version(bufnr), vim.bo[bufnr]
  if not now then
    return "the daemon does not have it open"
  elseif type(version) ~= "number" then
    return "the edit names no version of it"
  elseif now ~= version then
    return ("it has changed since: it is at version %d, the edit is for %d"):format(now, version)
  elseif not options.modifiable then
    return "it cannot be changed ('modifiable' is off)"
  elseif options.readonly then
    return "it is read-only ('readonly' is on)"
  end
end

--- Resolves an edit to buffers and ranges, if all of it can be applied.
---@param edit lsp.WorkspaceEdit
---@param client vim.lsp.Client
---@return copydesk.EditTarget[]? targets
---@return string? problem
---@return integer[] buffers Every buffer that the edit names.
local function resolve_targets(edit, client)
  local targets, buffers, problem = {}, {}, nil
  if type(edit.documentChanges) ~= "table" or edit.changes then
    return nil, "an edit without the versions of its documents is not made", buffers
  end
  for _, change in ipairs(edit.documentChanges) do
    local document = change.textDocument
    if not document then
      return nil, "texts are edited by themselves, without moving or deleting files", buffers
    end
    local bufnr = buffer.of(document.uri)
    local ranges, why
    if not bufnr then
      why = "it is not open"
    elseif not vim.api.nvim_buf_is_loaded(bufnr) then
      why = "it is not loaded"
    elseif vim.list_contains(buffers, bufnr) then
      why = "it is named twice"
    else
      buffers[#buffers + 1] = bufnr
      why = rejection_reason(bufnr, document.version)
      if not why then
        ranges, why = ranges_of.resolve(bufnr, change.edits, client.offset_encoding)
      end
    end
    problem = problem or why and ("%s: %s"):format(buffer.shown(document.uri), why)
    if ranges then
      local changes = join.to_few(bufnr, ranges)
      targets[#targets + 1] =
        { uri = document.uri, bufnr = bufnr, version = document.version, ranges = ranges, changes = changes }
    end
  end
  return not problem and targets or nil, problem, buffers
end

--- Ends the undo step of a buffer, so that the next change begins a new one, as in `:help undo-break`.
---@param bufnr integer
local function end_undo_step(bufnr)
  local function close()
    vim.cmd("noautocmd let &g:undolevels = &g:undolevels")
  end
  if bufnr == vim.api.nvim_get_current_buf() then
    close()
  else
    vim.api.nvim_buf_call(bufnr, close)
  end
end

--- A change that was applied to a buffer, and how to revert it.
---@class copydesk.AppliedChange
---@field bufnr integer
---@field back copydesk.ByteRange[] The ranges that revert it.
---@field kept copydesk.EditorState
---@field modified boolean

--- Reverts changes, the last one first.
---@param done copydesk.AppliedChange[]
---@return boolean
local function revert(done)
  for number = #done, 1, -1 do
    local last = done[number]
    if not replace.revert(last.bufnr, last.back) then
      return false
    end
    vim.bo[last.bufnr].modified = last.modified
    pcall(editor_state.restore, last.kept, {})
    pcall(end_undo_step, last.bufnr)
  end
  return true
end

--- Changes all buffers, or none.
---@param targets copydesk.EditTarget[]
---@return string? problem
local function apply_all(targets)
  local done = {} ---@type copydesk.AppliedChange[]
  for _, target in ipairs(targets) do
    local bufnr = target.bufnr
    local kept, modified = editor_state.save(bufnr), vim.bo[bufnr].modified
    end_undo_step(bufnr)
    local back, problem = replace.all(bufnr, target.changes)
    done[#done + 1] = { bufnr = bufnr, back = back, kept = kept, modified = modified }
    if problem then
      local is_back = revert(done)
      problem = ("%s: %s"):format(buffer.shown(target.uri), problem)
      return is_back and problem or problem .. "; the edits before it could not be reverted"
    end
    -- A window that cannot be restored does not undo the edit.
    pcall(editor_state.restore, kept, target.ranges)
    pcall(end_undo_step, bufnr)
    own_ticks[bufnr] = vim.api.nvim_buf_get_changedtick(bufnr)
    pcall(require("copydesk.document").settle, bufnr)
  end
end

--- Whether the daemon has given the edit up by now: Neovim was stopped or busy, and the session was told that it failed.
---@param params {copydesk?: {until?: integer}}
---@return boolean
local function is_late(params)
  local deadline = vim.tbl_get(params, "copydesk", "until")
  local seconds, microseconds = vim.uv.gettimeofday()
  return type(deadline) == "number" and seconds * 1000 + microseconds / 1000 > deadline
end

--- Why the edit is for another text than the buffers have at this version. The daemon gets the texts that differ.
---@param params {edit: lsp.WorkspaceEdit, copydesk?: {texts?: { bytes?: integer, sha256?: string }[]}}
---@return string? problem
local function check_texts(params)
  local texts = vim.tbl_get(params, "copydesk", "texts") or {}
  local verify, problem = require("copydesk.verify"), nil
  for number, change in ipairs(params.edit.documentChanges or {}) do
    local document, text = change.textDocument or {}, texts[number]
    local bufnr = document.uri and buffer.of(document.uri)
    local is_known = bufnr and vim.api.nvim_buf_is_loaded(bufnr) and buffer.version(bufnr) == document.version
    if is_known and type(text) == "table" and verify.differs(bufnr, text) then
      verify.send_again(bufnr)
      problem = ("%s: the daemon had another text of it"):format(buffer.shown(document.uri))
    end
  end
  return problem
end

--- Lets a buffer follow its file, which moves or is deleted.
---@param params lsp.ApplyWorkspaceEditParams
---@return lsp.ApplyWorkspaceEditResult
local function handle_file(params)
  local file_operation = require("copydesk.apply.file_operation")
  mid_command.wait(function()
    return file_operation.is_busy(params.edit.documentChanges[1])
  end)
  local problem = is_late(params) and "Neovim was stopped or busy for too long" or file_operation.run(params)
  require("copydesk.sync").flush()
  return { applied = not problem, failureReason = problem }
end

--- Lets Neovim handle keys and draw between the two halves of an edit in very many places.
---@param targets copydesk.EditTarget[]
local function pause_if_long(targets)
  local is_long = vim.iter(targets):any(function(target)
    return target.changes ~= target.ranges
  end)
  if is_long and coroutine.running() then
    require("copydesk.await").await(function(done)
      vim.defer_fn(done, 0)
    end)
  end
end

--- Whether the buffers still have the texts that the edit was resolved for.
---@param targets copydesk.EditTarget[]
---@return boolean
local function are_current(targets)
  return vim.iter(targets):all(function(target)
    return vim.api.nvim_buf_is_loaded(target.bufnr) and not rejection_reason(target.bufnr, target.version)
  end)
end

--- Resolves an edit once the user is in no command that it would come between.
---@param params lsp.ApplyWorkspaceEditParams
---@param client vim.lsp.Client
---@return copydesk.EditTarget[]? targets
---@return string? problem
---@return integer[] buffers Every buffer that the edit names.
local function wait_for_targets(params, client)
  local targets, problem, buffers = resolve_targets(params.edit, client)
  if not targets then
    return nil, problem, buffers
  end
  pause_if_long(targets)
  local is_free = mid_command.wait(function()
    return mid_command.is_at_targets(targets)
  end)
  if not is_free then
    return nil, "the user is in the middle of a command there", buffers
  elseif not are_current(targets) then
    targets, problem, buffers = resolve_targets(params.edit, client)
  end
  if targets and is_late(params) then
    return nil, "Neovim was stopped or busy for too long", buffers
  end
  return targets, problem, buffers
end

--- Applies an edit of the daemon. Called in a coroutine.
---@param params lsp.ApplyWorkspaceEditParams
---@param client vim.lsp.Client
---@return lsp.ApplyWorkspaceEditResult
function M.handle(params, client)
  if vim.tbl_get(params.edit, "documentChanges", 1, "kind") then
    return handle_file(params)
  end
  local targets, problem, buffers = wait_for_targets(params, client)
  -- A place that does not exist may be one of another text. A preview changes a text for the moment only.
  local other_text = not mid_command.is_previewing() and check_texts(params) or nil
  if other_text then
    problem = other_text
  elseif targets then
    problem = apply_all(targets)
  end
  for _, bufnr in ipairs(buffers) do
    require("copydesk.sync").flush(bufnr)
  end
  return { applied = not problem, failureReason = problem }
end

return M
