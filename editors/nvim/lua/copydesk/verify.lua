--- Checks that the daemon has the text of a buffer.
---
--- The daemon follows a buffer by the changes that Neovim reports. What Neovim changes without a report (a preview, an option, a
--- plugin that disables events) makes both texts differ, and an edit would change the wrong line.
---
--- Contract: the text is compared before each edit, and whenever the user rests in a buffer. If it differs, the whole text is sent
--- again. Nothing blocks.

local buffer = require("copydesk.buffer")
local protocol = require("copydesk.protocol")

local M = {}

--- The digest of the text that was last sent again when the user rested, by buffer. If the daemon still has another one, to send it
--- once more does not help.
---@type table<integer, string>
local sent_digests = {}

---@param bufnr integer
---@return string
local function digest_key(bufnr)
  local own = buffer.digest(bufnr)
  return ("%d %s"):format(own.bytes, own.sha256 or "")
end

--- Whether a buffer has another text than this.
---@param bufnr integer
---@param text { bytes?: integer, sha256?: string }
---@return boolean
function M.differs(bufnr, text)
  local own = buffer.digest(bufnr)
  local is_hashed = own.sha256 and type(text.sha256) == "string"
  return own.bytes ~= text.bytes or is_hashed and own.sha256 ~= text.sha256 or false
end

--- Sends the whole text of a buffer.
---@param bufnr integer
function M.send_again(bufnr)
  require("vim.lsp.log").warn("copydesk", ("the daemon had another text of buffer %d; it is sent again"):format(bufnr))
  require("copydesk.attach").reopen(bufnr)
end

--- Asks the daemon whether it has the text of a buffer.
---@param bufnr integer
function M.check(bufnr)
  local version, tick = buffer.version(bufnr), vim.api.nvim_buf_get_changedtick(bufnr)
  local text = buffer.digest(bufnr)
  local params = { uri = buffer.uri(bufnr), version = version, bytes = text.bytes, sha256 = text.sha256 }
  -- Pending changes are sent before.
  require("copydesk.client").request(protocol.methods.documentVerify, params, function(_, result)
    local is_same_text = vim.api.nvim_buf_is_loaded(bufnr) and vim.api.nvim_buf_get_changedtick(bufnr) == tick
    if is_same_text and result and result.same == false and sent_digests[bufnr] ~= digest_key(bufnr) then
      sent_digests[bufnr] = digest_key(bufnr)
      M.send_again(bufnr)
    end
  end)
end

--- Starts to check the buffer in which the user rests.
function M.watch()
  local group = vim.api.nvim_create_augroup("copydesk.verify", {})
  vim.api.nvim_create_autocmd("BufWipeout", {
    group = group,
    desc = "Copydesk forgets the buffer",
    callback = function(event)
      sent_digests[event.buf] = nil
    end,
  })
  vim.api.nvim_create_autocmd({ "CursorHold", "CursorHoldI" }, {
    group = group,
    desc = "Copydesk checks that its daemon has this text",
    callback = function(event)
      if require("copydesk.client").get() and buffer.is_document(event.buf) and buffer.version(event.buf) then
        M.check(event.buf)
      end
    end,
  })
end

return M
