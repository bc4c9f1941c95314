--- Loads files into hidden buffers while the daemon asks language servers about them.
---
--- Contract: a file is loaded as for the user, so that their servers attach, but without swap file, prompts and modelines. A buffer that
--- the user enters becomes theirs, and gets swap file and modelines. Other buffers are deleted after an idle time, and their number is
--- capped. A buffer without a server is deleted at once, and files of its kind are not loaded again for `limits.unserved_kind`, or until a
--- server attaches to any buffer.

local server = require("copydesk.server")
local signal = require("copydesk.signal")
local quiet_open = require("copydesk.quiet_open")
local limits = require("copydesk.time_limits")

local M = {}

--- The cap on hidden buffers. Buffers in use may exceed it.
M.most = 20
--- Larger files are not loaded.
local MAX_FILE_BYTES = 4 * 1024 * 1024
--- `renew` changes nothing at most this often to reach a version.
local MAX_RENEWALS = 50

---@class copydesk.HiddenBuffer
---@field buffer integer
---@field path string
---@field stamp string The state of the file when it was read.
---@field existed boolean The user had this buffer, but not loaded.
---@field uses table<copydesk.DocumentUse, true>
---@field used number When it was last used.
---@field settled boolean The time for servers to attach is over.
---@field kind? string The kind of file, by its name.

---@class copydesk.DocumentUse A request about a document.
---@field visit? copydesk.HiddenBuffer

local visits = {} ---@type table<integer, copydesk.HiddenBuffer>
local held = {} ---@type table<string, copydesk.DocumentUse[]> What `hold` began, by URI.
local unserved = {} ---@type table<string, number> Kinds of files without a server, and until when that counts.
local timer ---@type uv.uv_timer_t?
local group ---@type integer?

--- The state of a file from its metadata; nil if it cannot be loaded.
---@param path string
---@return string?
local function stamp(path)
  local stat = vim.uv.fs_stat(path)
  if not stat or stat.type ~= "file" or stat.size > MAX_FILE_BYTES or not vim.uv.fs_access(path, "R") then
    return nil
  end
  return table.concat({ stat.ino, stat.size, stat.mtime.sec, stat.mtime.nsec }, ":")
end

--- Gives a buffer that the user has entered to them.
---@param buffer integer
local function adopt(buffer)
  visits[buffer] = nil
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  pcall(vim.cmd, "set autoread<")
  pcall(function()
    vim.bo[buffer].swapfile = vim.go.swapfile
  end)
  -- After this event Neovim reads the modelines, if the user allows them.
  vim.api.nvim_exec_autocmds("User", { group = group, pattern = "CopydeskVisited", modeline = true })
end

---@param visit copydesk.HiddenBuffer
local function begin(visit)
  visits[visit.buffer] = visit
  if not group then
    group = vim.api.nvim_create_augroup("copydesk.visit", {})
    local nothing = { group = group, pattern = "CopydeskVisited", callback = function() end }
    vim.api.nvim_create_autocmd("User", nothing)
    vim.api.nvim_create_autocmd("LspAttach", {
      group = group,
      desc = "Copydesk retries files without a server",
      callback = function()
        unserved = {}
      end,
    })
  end
  vim.bo[visit.buffer].autoread = true
  vim.api.nvim_create_autocmd("BufEnter", {
    group = group,
    buffer = visit.buffer,
    desc = "Copydesk leaves the buffer to the user",
    callback = function()
      adopt(visit.buffer)
    end,
  })
  vim.api.nvim_create_autocmd("BufUnload", {
    group = group,
    buffer = visit.buffer,
    desc = "Copydesk forgets the buffer",
    callback = function()
      visits[visit.buffer] = nil
    end,
  })
end

---@param visit copydesk.HiddenBuffer
local function finish(visit)
  local buffer = visit.buffer
  visits[buffer] = nil
  if not vim.api.nvim_buf_is_valid(buffer) then
    return
  end
  vim.api.nvim_clear_autocmds({ group = group, buffer = buffer })
  local is_users = vim.bo[buffer].buflisted and not visit.existed
  if is_users or vim.bo[buffer].modified or #vim.fn.win_findbuf(buffer) > 0 then
    return
  end
  pcall(vim.api.nvim_buf_delete, buffer, { unload = visit.existed })
end

--- Deletes unused buffers that are idle too long or beyond the cap.
local function sweep()
  local old_first = vim.tbl_values(visits) ---@type copydesk.HiddenBuffer[]
  table.sort(old_first, function(a, b)
    return a.used < b.used
  end)
  local count, now, next_end = #old_first, signal.now(), nil
  for _, visit in ipairs(old_first) do
    local is_used = next(visit.uses) ~= nil
    if not is_used and (count > M.most or now - visit.used >= limits.hidden_buffer_idle) then
      finish(visit)
      count = count - 1
    elseif not is_used then
      next_end = next_end or visit.used + limits.hidden_buffer_idle
    end
  end
  timer = timer or assert(vim.uv.new_timer())
  timer:stop()
  if next_end then
    timer:start(math.max(1, math.ceil(next_end - now)), 0, vim.schedule_wrap(sweep))
  end
end

---@param path string
---@param known? integer A buffer that is not loaded.
---@return copydesk.HiddenBuffer?
local function load(path, known)
  local now = stamp(path)
  if not now then
    return nil
  end
  local buffer = known or vim.fn.bufadd(path)
  quiet_open.without_modelines(("call bufload(%d)"):format(buffer))
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return nil
  end
  if vim.bo[buffer].filetype == "" then
    -- The user's own autocommands run here, and may fail.
    pcall(function()
      vim.bo[buffer].filetype = vim.filetype.match({ buf = buffer }) or ""
    end)
  end
  local visit = { buffer = buffer, path = path, stamp = now, existed = known ~= nil }
  visit.uses, visit.used, visit.settled = {}, 0, false
  begin(visit)
  return visit
end

--- Reloads the file if it has changed.
---@param visit copydesk.HiddenBuffer
---@return boolean can_be_read
local function refresh(visit)
  local now = stamp(visit.path)
  if now and now ~= visit.stamp then
    visit.stamp = now
    quiet_open.without_modelines(("checktime %d"):format(visit.buffer))
  end
  return now ~= nil
end

--- Has Neovim send the text of a hidden buffer once more, under a version above the given one: after it has read the file again, it may
--- use a version again that stood for another text. Nothing changes, and a buffer that the user may see is left alone.
---@param buffer integer
---@param version integer
function M.renew(buffer, version)
  local options = visits[buffer] and vim.bo[buffer]
  local is_hidden = options and not options.buflisted and #vim.fn.win_findbuf(buffer) == 0
  if not is_hidden or options.modified or not options.modifiable then
    return
  end
  local missing = math.max(0, version - vim.api.nvim_buf_get_changedtick(buffer))
  if missing >= MAX_RENEWALS then
    return
  end
  local undo_levels, is_readonly = options.undolevels, options.readonly
  options.undolevels, options.readonly = -1, false
  local first = vim.api.nvim_buf_get_lines(buffer, 0, 1, false)
  for _ = 0, missing do
    pcall(vim.api.nvim_buf_set_lines, buffer, 0, 1, false, first)
  end
  options.undolevels, options.readonly, options.modified = undo_levels, is_readonly, false
end

--- Waits until a server has attached, or `limits.attach` is over.
---@param visit copydesk.HiddenBuffer
---@param deadline number
local function settle(visit, deadline)
  if visit.settled or #server.of(visit.buffer) > 0 then
    return
  end
  signal.wait(math.min(deadline, signal.now() + limits.attach), function()
    return #server.of(visit.buffer) > 0
  end)
  visit.settled = true
end

--- Unloads the hidden buffer of a deleted file, so that servers no longer see it.
---@param uri string
function M.gone(uri)
  local buffer = require("copydesk.buffer").of(uri)
  if buffer and visits[buffer] then
    finish(visits[buffer])
  end
end

--- Ends a use. Ending it again does nothing.
---@param use? copydesk.DocumentUse
local function end_use(use)
  local visit = use and use.visit
  if use and visit then
    use.visit, visit.uses[use], visit.used = nil, nil, signal.now()
    sweep()
  end
end

--- Ends a use that `hold` began.
---@param uri string
function M.release(uri)
  local uses = held[uri] or {}
  end_use(table.remove(uses, 1))
  held[uri] = #uses > 0 and uses or nil
end

--- Ends all uses, because the connection that began them is closed.
function M.release_all()
  held = {}
  for _, visit in pairs(visits) do
    visit.uses = {}
  end
  sweep()
end

---@generic T: {state: copydesk.AnswerState}
---@param use copydesk.DocumentUse
---@param uri string
---@param deadline number
---@param may_load boolean
---@param run fun(buffer: integer): T
---@return T
local function run_in(use, uri, deadline, may_load, run)
  local buffer = require("copydesk.buffer").of(uri)
  local is_loaded = buffer and vim.api.nvim_buf_is_loaded(buffer)
  local visit = buffer and visits[buffer] ---@type copydesk.HiddenBuffer?
  if not is_loaded and not may_load then
    return { state = "cancelled" }
  elseif is_loaded and not visit then
    return run(buffer)
  elseif not visit then
    local is_file, path = pcall(vim.uri_to_fname, uri)
    local kind = is_file and (vim.filetype.match({ filename = path }) or path:match("%.[^./]*$") or path)
    if kind and (unserved[kind] or 0) > signal.now() then
      return { state = "unsupported" }
    end
    visit = is_file and vim.startswith(uri, "file:") and load(path, buffer) or nil
    if visit then
      visit.kind = kind
    end
  elseif not refresh(visit) then
    visit = nil
  end
  if not visit then
    return { state = "unsupported" }
  end
  use.visit, visit.uses[use] = visit, true
  settle(visit, deadline)
  if visit.kind and vim.tbl_count(visit.uses) <= 1 and #server.of(visit.buffer) == 0 and not visit.existed then
    unserved[visit.kind] = signal.now() + limits.unserved_kind
    finish(visit)
    return { state = "unsupported" }
  end
  return run(visit.buffer)
end

--- Runs a function with the buffer of a document, loaded if needed. Call it in a coroutine.
---@generic T: {state: copydesk.AnswerState}
---@param uri string
---@param deadline number
---@param run fun(buffer: integer): T
---@return T
function M.with(uri, deadline, run)
  local use = {} ---@type copydesk.DocumentUse
  local ok, result = xpcall(run_in, debug.traceback, use, uri, deadline, true, run)
  end_use(use)
  return ok and result or error(result, 0)
end

--- Like `with`, but the buffer stays loaded until `release`, whatever the result.
---@generic T: {state: copydesk.AnswerState}
---@param uri string
---@param deadline number
---@param may_load boolean
---@param run fun(buffer: integer): T
---@return T
function M.hold(uri, deadline, may_load, run)
  local use = {} ---@type copydesk.DocumentUse
  held[uri] = held[uri] or {}
  table.insert(held[uri], use)
  return run_in(use, uri, deadline, may_load, run)
end

return M
