--- Attaches the daemon to buffers: every listed one with a text of its own, named or unnamed.
---
--- Contract: a buffer is attached once it is loaded and the connection is ready. Pending changes are sent before a request,
--- although Neovim debounces them.

local M = {}

--- Larger buffers are not sent: the daemon rejects so long a message.
local LARGEST = 64 * 1024 * 1024

--- The changedtick of each buffer when it was last sent.
---@type table<integer, integer>
local sent_ticks = {}

---@param buffer integer
---@return boolean
local function is_too_large(buffer)
  return vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer)) > LARGEST
end

--- Attaches a buffer, if it is a document.
---@param client vim.lsp.Client
---@param buffer integer
function M.one(client, buffer)
  if not require("copydesk.buffer").is_document(buffer) or is_too_large(buffer) then
    return
  end
  if vim.api.nvim_buf_get_name(buffer) == "" then
    require("copydesk.untitled").attach(client, buffer)
  elseif not vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_attach_client(buffer, client.id)
    require("copydesk.buffer").follow(buffer)
    sent_ticks[buffer] = vim.api.nvim_buf_get_changedtick(buffer)
  end
end

--- Sends the whole text of a buffer: closes the document, and opens it again. All clients of the buffer share what vim.lsp believes
--- to be its text, so this is done for all of them.
---@param client vim.lsp.Client
---@param buffer integer
function M.reopen(client, buffer)
  if not vim.lsp.buf_is_attached(buffer, client.id) then
    require("copydesk.untitled").close(buffer)
    return M.one(client, buffer)
  end
  local clients = vim.lsp.get_clients({ bufnr = buffer })
  for _, one in ipairs(clients) do
    vim.lsp.buf_detach_client(buffer, one.id)
  end
  for _, one in ipairs(clients) do
    if one.id == client.id then
      M.one(client, buffer)
    else
      vim.lsp.buf_attach_client(buffer, one.id)
    end
  end
end

--- Attaches all documents, and from now on every new one.
---@param client vim.lsp.Client
function M.all(client)
  sent_ticks = {}
  require("copydesk.document").watch()
  require("copydesk.verify").watch()
  local group = vim.api.nvim_create_augroup("copydesk.attach", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufFilePost", "BufWritePost", "BufEnter" }, {
    group = group,
    desc = "Copydesk sees the buffer",
    callback = function(event)
      local current = require("copydesk.client").get()
      if current then
        M.one(current, event.buf)
      end
    end,
  })
  -- vim.lsp would keep using a name that the daemon does not know, until the buffer is written.
  vim.api.nvim_create_autocmd("BufFilePre", {
    group = group,
    desc = "Copydesk sees the buffer under another name",
    callback = function(event)
      local current = require("copydesk.client").get()
      if current and vim.lsp.buf_is_attached(event.buf, current.id) then
        M.flush_one(current, event.buf)
        vim.lsp.buf_detach_client(event.buf, current.id)
        -- `:file` with the same name needs this, too.
        vim.schedule(function()
          if vim.api.nvim_buf_is_valid(event.buf) and require("copydesk.client").get() == current then
            M.one(current, event.buf)
          end
        end)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "BufWipeout", "BufUnload" }, {
    group = group,
    desc = "Copydesk forgets the buffer",
    callback = function(event)
      sent_ticks[event.buf] = nil
    end,
  })
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.one(client, buffer)
  end
end

--- Sends the pending changes of one buffer.
---@param client vim.lsp.Client
---@param buffer integer
function M.flush_one(client, buffer)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  if sent_ticks[buffer] == tick then
    return
  end
  sent_ticks[buffer] = tick
  -- vim.lsp sends pending changes before any request for the buffer.
  local method, params = require("copydesk.protocol").methods.status, vim.empty_dict()
  local function ignore() end
  if vim.fn.has("nvim-0.11") == 1 then
    client:request(method, params, ignore, buffer)
  else
    client.request(method, params, ignore, buffer)
  end
end

--- Sends the pending changes of every buffer.
---@param client vim.lsp.Client
function M.flush(client)
  for buffer in pairs(sent_ticks) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.lsp.buf_is_attached(buffer, client.id) then
      M.flush_one(client, buffer)
    else
      sent_ticks[buffer] = nil
    end
  end
  require("copydesk.untitled").flush()
end

return M
