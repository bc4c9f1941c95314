--- The versions of documents. Each server counts them for itself, and so does the daemon: this says which of them are the same text.

local M = {}

---@class copydesk.ReportedDocument What a server was told last of a document.
---@field uri string
---@field buffer integer
---@field version integer In the server's numbers.
---@field same? {theirs: integer, ours?: integer, tick: integer} One text in both numbers; later ones are the same.
---@field opening? boolean It was reported when the server attached; Neovim may report the same again.

--- The version of a buffer as the daemon counts; nothing if the daemon does not see it and knows only the file.
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
---@param is_opening boolean The server was told of it just now; otherwise it may have been told of more texts before.
---@return copydesk.ReportedDocument? document None for a buffer that no server knows by a URI.
function M.new(buffer, is_opening)
  local uri = require("copydesk.position").uri(vim.uri_from_bufnr(buffer))
  if not uri then
    return nil
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local version = vim.lsp.util.buf_versions[buffer] or 0
  if not is_opening and vim.fn.has("nvim-0.11") == 0 then
    -- Newer Neovims give all clients the same number, older ones this one.
    version = tick
  end
  local same = is_opening and { theirs = version, ours = M.version(buffer), tick = tick } or nil
  local document = { uri = uri, buffer = buffer, version = version, same = same, opening = is_opening }
  -- Neovim reports the message that opens it in the next turn, and then this is the next but one.
  vim.schedule(function()
    vim.schedule(function()
      document.opening = nil
    end)
  end)
  return document
end

--- A document was read again from the disk, or has another name: all were told so, under one number.
---@param document copydesk.ReportedDocument
---@param version integer
function M.reopened(document, version)
  local is_there = vim.api.nvim_buf_is_valid(document.buffer)
  local tick = is_there and vim.api.nvim_buf_get_changedtick(document.buffer) or 0
  document.version, document.same = version, { theirs = version, ours = version, tick = tick }
end

--- The daemon got the document as it is now.
---@param document copydesk.ReportedDocument
function M.daemon_attached(document)
  local ours = vim.lsp.util.buf_versions[document.buffer] or 0
  local tick = vim.api.nvim_buf_get_changedtick(document.buffer)
  document.same = { theirs = document.version, ours = ours, tick = tick }
end

--- The version of the document's text in the daemon's numbers; nothing if that cannot be known.
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
