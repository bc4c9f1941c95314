--- Decides which buffers the daemon has: every listed one with a text of its own, named or unnamed.
---
--- Contract: a buffer is opened for the daemon once it is loaded and the connection is ready.

local M = {}

--- Larger buffers are not sent: the daemon rejects so long a message.
local MAX_BYTES = 64 * 1024 * 1024

---@param buffer integer
---@return boolean
local function is_too_large(buffer)
  return vim.api.nvim_buf_get_offset(buffer, vim.api.nvim_buf_line_count(buffer)) > MAX_BYTES
end

--- Opens a buffer for the daemon, if it is a document.
---@param client vim.lsp.Client
---@param buffer integer
function M.one(client, buffer)
  if require("copydesk.buffer").is_document(buffer) and not is_too_large(buffer) then
    require("copydesk.sync").open(client, buffer)
  end
end

--- Sends the whole text of a buffer again. A change that Neovim did not report is unknown to all language servers of the buffer, too, so
--- vim.lsp opens it again for them.
---@param buffer integer
function M.reopen(buffer)
  require("copydesk.sync").reopen(buffer)
  local clients = vim.lsp.get_clients({ bufnr = buffer })
  for _, one in ipairs(clients) do
    vim.lsp.buf_detach_client(buffer, one.id)
  end
  for _, one in ipairs(clients) do
    vim.lsp.buf_attach_client(buffer, one.id)
  end
end

--- Opens all documents, and from now on every new one.
---@param client vim.lsp.Client
function M.all(client)
  local sync = require("copydesk.sync")
  require("copydesk.document").watch()
  require("copydesk.verify").watch()
  local group = vim.api.nvim_create_augroup("copydesk.attach", {})
  ---@param events string[]
  ---@param desc string
  ---@param run fun(client: vim.lsp.Client, event: table)
  local function on(events, desc, run)
    vim.api.nvim_create_autocmd(events, {
      group = group,
      desc = desc,
      callback = function(event)
        local current = require("copydesk.client").get()
        if current then
          run(current, event)
        end
      end,
    })
  end
  -- `:write NAME` gives a buffer its name without BufFilePost.
  local opening = { "BufReadPost", "BufNewFile", "BufAdd", "BufFilePost", "BufWritePost", "BufEnter" }
  on(opening, "Copydesk sees the buffer", function(current, event)
    M.one(current, event.buf)
  end)
  on({ "BufFilePre" }, "Copydesk sees the last changes under the old name", function(_, event)
    sync.flush(event.buf)
  end)
  on({ "BufWritePost" }, "Copydesk sees that the buffer is written", function(_, event)
    if require("copydesk.document").is_own_file(event) then
      sync.saved(event.buf)
    end
  end)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    M.one(client, buffer)
  end
end

return M
