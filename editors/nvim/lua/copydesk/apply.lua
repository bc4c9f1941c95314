--- The plugin's own `workspace/applyEdit`: the agent's edits, made in the person's buffers.
---
--- Contract: everything is looked at before anything is changed, and either all documents get their edits or
--- none does. The answer is true, also where somebody else's callbacks fail meanwhile. One call is one undo
--- step for each buffer, apart from what a person types before and after it. Text is all that changes:
--- nothing is loaded, listed, shown or saved; cursors, views, selections, marks, folds, registers and the
--- jumplist stay as they are.
---
--- What a person has typed is told to the desk before it is answered, so that a refusal never comes before
--- its reason.

local buffer = require("copydesk.buffer")
local keep = require("copydesk.apply.keep")
local ranges_of = require("copydesk.apply.ranges")
local replace = require("copydesk.apply.replace")

local M = {}

--- How long an operator that waits for its motion is waited for, in milliseconds. The desk waits longer.
local OPERATOR = 1000

--- A document and what is to be done to it.
---@class copydesk.Target
---@field uri string
---@field bufnr integer
---@field ranges copydesk.ByteRange[]

---@param bufnr integer
---@param version integer
---@param client vim.lsp.Client
---@return string?
local function trouble_with(bufnr, version, client)
  local now, options = buffer.version(bufnr), vim.bo[bufnr]
  local is_told = require("copydesk.untitled").version(bufnr) or vim.lsp.buf_is_attached(bufnr, client.id)
  if not now or not is_told then
    return "the desk has not been told of it"
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

--- What is to be done, if all of it can be.
---@param edit lsp.WorkspaceEdit
---@param client vim.lsp.Client
---@return copydesk.Target[]? targets
---@return string? problem
---@return integer[] buffers Those that are spoken of.
local function look_at(edit, client)
  local targets, buffers, problem = {}, {}, nil
  if type(edit.documentChanges) ~= "table" or edit.changes then
    return nil, "an edit without the versions of its documents is not made", buffers
  end
  for _, change in ipairs(edit.documentChanges) do
    local document = change.textDocument
    if not document then
      return nil, "only texts are edited; a file is not made, renamed or deleted", buffers
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
      why = trouble_with(bufnr, document.version, client)
      if not why then
        ranges, why = ranges_of.resolve(bufnr, change.edits, client.offset_encoding)
      end
    end
    problem = problem or why and ("%s: %s"):format(buffer.shown(document.uri), why)
    targets[#targets + 1] = { uri = document.uri, bufnr = bufnr, ranges = ranges }
  end
  return not problem and targets or nil, problem, buffers
end

--- Ends the undo step of a buffer: what is changed next begins another. This is how `:help undo-break` does
--- it.
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

--- What was done to a buffer, and how it was before.
---@class copydesk.Done
---@field bufnr integer
---@field back copydesk.ByteRange[] What takes it back.
---@field kept copydesk.Kept
---@field modified boolean

--- Takes back what was done.
---@param done copydesk.Done[]
---@return boolean
local function take_back(done)
  for number = #done, 1, -1 do
    local last = done[number]
    if not replace.take_back(last.bufnr, last.back) then
      return false
    end
    vim.bo[last.bufnr].modified = last.modified
    pcall(keep.restore, last.kept, {})
    pcall(end_undo_step, last.bufnr)
  end
  return true
end

--- Changes all buffers, or none.
---@param targets copydesk.Target[]
---@return string? problem
local function carry_out(targets)
  local done = {} ---@type copydesk.Done[]
  for _, target in ipairs(targets) do
    local bufnr = target.bufnr
    local kept, modified = keep.look(bufnr), vim.bo[bufnr].modified
    end_undo_step(bufnr)
    local back, problem = replace.all(bufnr, target.ranges)
    done[#done + 1] = { bufnr = bufnr, back = back, kept = kept, modified = modified }
    if problem then
      local is_back = take_back(done)
      problem = ("%s: %s"):format(buffer.shown(target.uri), problem)
      return is_back and problem or problem .. "; what was done before it could not be taken back"
    end
    -- Where a window cannot be put back, the text is changed all the same.
    pcall(keep.restore, kept, target.ranges)
    pcall(end_undo_step, bufnr)
  end
end

--- Has the desk know the texts as they are now.
---@param client vim.lsp.Client
---@param buffers integer[]
local function tell(client, buffers)
  for _, bufnr in ipairs(buffers) do
    if vim.lsp.buf_is_attached(bufnr, client.id) then
      require("copydesk.attach").flush_one(client, bufnr)
    else
      require("copydesk.untitled").flush(bufnr)
    end
  end
end

--- Waits, though not for long, while the person is in the middle of a command in one of the buffers: an
--- operator knows by its line where it began, and would work on another text.
---@param buffers integer[]
---@return boolean is_free
---@return boolean has_waited
local function wait_for_operator(buffers)
  local function is_free()
    local is_in_it = vim.api.nvim_get_mode().mode:find("^no")
    return not is_in_it or not vim.list_contains(buffers, vim.api.nvim_get_current_buf())
  end
  local has_to_wait = not is_free() and coroutine.running() ~= nil
  if has_to_wait then
    local timer, watch = assert(vim.uv.new_timer()), nil
    require("copydesk.await").await(function(done)
      timer:start(OPERATOR, 0, done)
      local function changed()
        done()
      end
      watch = vim.api.nvim_create_autocmd("ModeChanged", { pattern = "no*:*", callback = changed })
    end)
    timer:close()
    vim.api.nvim_del_autocmd(watch)
  end
  return is_free(), has_to_wait
end

--- Makes an edit of the desk. Called in a coroutine.
---@param params lsp.ApplyWorkspaceEditParams
---@param client vim.lsp.Client
---@return lsp.ApplyWorkspaceEditResult
function M.handle(params, client)
  local targets, problem, buffers = look_at(params.edit, client)
  if targets then
    local is_free, has_waited = wait_for_operator(buffers)
    if not is_free then
      targets, problem = nil, "the person is in the middle of a command there"
    elseif has_waited then
      -- Meanwhile anything may have happened.
      targets, problem, buffers = look_at(params.edit, client)
    end
  end
  if targets then
    problem = carry_out(targets)
  end
  tell(client, buffers)
  if problem then
    return { applied = false, failureReason = problem }
  end
  return { applied = true }
end

return M
