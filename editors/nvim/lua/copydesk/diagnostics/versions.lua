--- Maps a server's version of a document to the daemon's. Each server counts versions for itself, and so does the daemon.

local M = {}

--- How many documents of a server keep their greatest version.
local MAX_DOCUMENTS = 1000

---@class copydesk.ReportedDocument The last version of a document that a server got.
---@field uri string
---@field buffer integer
---@field version integer As the server counts.
---@field tick integer The changedtick of the text that the server got.
---@field same? {theirs: integer, ours?: integer, tick: integer} One text in both counts. Later versions are equal.
---@field opening? boolean It was reported when the server attached; Neovim may report the same didOpen again.
---@field early? integer A version that was reported before Neovim reports its didChange.
---@field closed? boolean The server got a didClose.

--- The changedtick of each buffer's last change, and of the last moment when Neovim may have closed and opened it again: it was reloaded,
--- or written under another name. (Neovim 0.10 sets its own count to 0 whenever a client attaches.)
---@type table<integer, {changed: integer, reopened: integer}>
local ticks = {}

---@param buffer integer
local function follow(buffer)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  if ticks[buffer] or not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  ticks[buffer] = { changed = tick, reopened = tick }
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, changed)
      ticks[buffer].changed = changed or ticks[buffer].changed
    end,
    on_reload = function()
      local now = vim.api.nvim_buf_get_changedtick(buffer)
      ticks[buffer] = { changed = now, reopened = now }
    end,
    on_detach = function()
      ticks[buffer] = nil
    end,
  })
end

--- The user has written a buffer, perhaps under another name.
---@param buffer integer
function M.written(buffer)
  if ticks[buffer] then
    ticks[buffer].reopened = vim.api.nvim_buf_get_changedtick(buffer)
  end
end

--- Whether the server got the text that the buffer has now.
---@param document copydesk.ReportedDocument
---@return boolean
function M.is_newest(document)
  local known = ticks[document.buffer]
  return not known or known.changed <= document.tick
end

--- The version of the text that the buffer has now, whether or not the server got it.
---@param document copydesk.ReportedDocument
---@return integer
function M.newest_version(document)
  return M.is_newest(document) and document.version or ticks[document.buffer].changed
end

--- The daemon's version of a buffer; nil if the daemon does not have the buffer and knows only the file.
---@param buffer integer
---@return integer?
function M.version(buffer)
  return require("copydesk.client").get() and require("copydesk.sync").version(buffer) or nil
end

---@param buffer integer
---@param is_opening boolean The server got it just now; otherwise it may have got several texts before, and its pending changes are sent.
---@return copydesk.ReportedDocument? document Nil for a buffer without a URI that servers can know.
function M.new(buffer, is_opening)
  local uri = require("copydesk.position").uri(vim.uri_from_bufnr(buffer))
  if not uri then
    return nil
  end
  follow(buffer)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local version = vim.lsp.util.buf_versions[buffer] or 0
  if not is_opening and vim.fn.has("nvim-0.11") == 0 then
    -- Neovim 0.11 gives all clients the same version; older ones use the changedtick.
    version = tick
  end
  local same = is_opening and { theirs = version, ours = M.version(buffer), tick = tick } or nil
  local document = { uri = uri, buffer = buffer, version = version, tick = tick, same = same } ---@type copydesk.ReportedDocument
  document.opening, document.early = is_opening, not is_opening and version or nil
  -- Neovim reports what it has sent in the next turn of its loop. The flags end in the turn after that.
  vim.schedule(function()
    vim.schedule(function()
      document.opening, document.early = nil, nil
    end)
  end)
  return document
end

--- The server got a change.
---@param document copydesk.ReportedDocument
---@param version integer
function M.changed(document, version)
  if version > document.version then
    document.tick = version
  else
    -- A client attached in Neovim 0.10 while the change was pending. The version says nothing about the text.
    local known = ticks[document.buffer]
    document.tick = known and known.changed or 0
    document.same = { theirs = version, tick = document.tick }
  end
  document.version = version
end

--- The document was reloaded from the disk, or renamed: all clients got it again, under one version.
---@param document copydesk.ReportedDocument
---@param version integer
function M.reopened(document, version)
  local known = ticks[document.buffer]
  document.version, document.tick, document.closed = version, known and known.reopened or 0, nil
  local ours = known and M.is_newest(document) and M.version(document.buffer) or nil
  document.same = { theirs = version, ours = ours, tick = document.tick }
end

--- The daemon has the document in its present state.
---@param document copydesk.ReportedDocument
---@param ours? integer Its version.
function M.renumber(document, ours)
  local tick = vim.api.nvim_buf_get_changedtick(document.buffer)
  document.same = { theirs = document.version, ours = M.is_newest(document) and ours or nil, tick = tick }
end

--- The document's version as the daemon counts; nil if that cannot be known.
---@param document copydesk.ReportedDocument
---@param version integer As the server counts.
---@return integer?
function M.for_daemon(document, version)
  local same = document.same
  if not same or not M.version(document.buffer) then
    return nil
  elseif version == same.theirs then
    return same.ours
  end
  return version > same.tick and version or nil
end

--- Remembers the version of a document. Returns the greatest one before, if this one is not greater.
---@param greatest table<string, integer> By URI.
---@param document copydesk.ReportedDocument
---@return integer?
function M.repeated(greatest, document)
  local before = greatest[document.uri]
  if not before and vim.tbl_count(greatest) >= MAX_DOCUMENTS then
    greatest[next(greatest)] = nil
  end
  greatest[document.uri] = math.max(before or 0, document.version)
  return before and document.version <= before and before or nil
end

return M
