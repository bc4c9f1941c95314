--- Maps a server's version of a document to the daemon's. Each server counts versions for itself, and so does the daemon.

local M = {}

---@class copydesk.ReportedDocument The last version of a document that a server got.
---@field uri string
---@field buffer integer
---@field version integer As the server counts.
---@field same? {theirs: integer, ours?: integer, tick: integer} One text in both counts. Later versions are equal.
---@field opening? boolean It was reported when the server attached; Neovim may report the same didOpen again.

--- The daemon's version of a buffer; nil if the daemon does not have the buffer and knows only the file.
---@param buffer integer
---@return integer?
function M.version(buffer)
  local daemon = require("copydesk.client").get()
  if daemon and vim.lsp.buf_is_attached(buffer, daemon.id) then
    return require("copydesk.buffer").version(buffer)
  end
  return require("copydesk.untitled").version(buffer)
end

---@param buffer integer
---@param is_opening boolean The server got it just now; otherwise it may have got several texts before.
---@return copydesk.ReportedDocument? document Nil for a buffer without a URI that servers can know.
function M.new(buffer, is_opening)
  local uri = require("copydesk.position").uri(vim.uri_from_bufnr(buffer))
  if not uri then
    return nil
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local version = vim.lsp.util.buf_versions[buffer] or 0
  if not is_opening and vim.fn.has("nvim-0.11") == 0 then
    -- Neovim 0.11 gives all clients the same version; older ones use the changedtick.
    version = tick
  end
  local same = is_opening and { theirs = version, ours = M.version(buffer), tick = tick } or nil
  local document = { uri = uri, buffer = buffer, version = version, same = same, opening = is_opening }
  -- Neovim reports the didOpen in the next turn of its loop. The flag ends in the turn after that.
  vim.schedule(function()
    vim.schedule(function()
      document.opening = nil
    end)
  end)
  return document
end

--- The document was reloaded from the disk, or renamed: all clients got it again, under one version.
---@param document copydesk.ReportedDocument
---@param version integer
function M.reopened(document, version)
  local is_valid = vim.api.nvim_buf_is_valid(document.buffer)
  local tick = is_valid and vim.api.nvim_buf_get_changedtick(document.buffer) or 0
  document.version, document.same = version, { theirs = version, ours = version, tick = tick }
end

--- The daemon got the document in its present state.
---@param document copydesk.ReportedDocument
function M.daemon_attached(document)
  local ours = vim.lsp.util.buf_versions[document.buffer] or 0
  local tick = vim.api.nvim_buf_get_changedtick(document.buffer)
  document.same = { theirs = document.version, ours = ours, tick = tick }
end

--- The document's version as the daemon counts; nil if that cannot be known.
---@param document copydesk.ReportedDocument
---@return integer?
function M.for_daemon(document)
  local version, same = document.version, document.same
  if not same then
    return nil
  elseif version == same.theirs then
    return same.ours
  end
  return version > same.tick and version or nil
end

return M
