--- Who behind a server looks only at what was saved: the compiler, whose word the server passes on after a save.
---
--- Contract: says who has not seen the texts as they are, so that nobody takes silence for approval.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- By the server's name: what the compiler's diagnostics are named, and how the tokens of its work begin.
local COMPILERS = {
  ["rust-analyzer"] = { source = "rustc", token = "rust-analyzer/flycheck" },
}

---@param client vim.lsp.Client
---@return {source: string, token: string}?
local function compiler(client)
  return COMPILERS[(client.name:gsub("_", "-"))]
end

--- A server says how far its work is.
---@param data {client_id: integer, params: {token: any, value: any}}
function M.progress(data)
  local client = vim.lsp.get_client_by_id(data.client_id)
  local known, kind = client and compiler(client), vim.tbl_get(data, "params", "value", "kind")
  if known and vim.startswith(tostring(vim.tbl_get(data, "params", "token")), known.token) then
    notes.checked(data.client_id, kind)
  end
end

--- The source that has not seen the texts as they are, if there is one.
---@param client vim.lsp.Client
---@return string?
function M.unseen(client)
  local known = compiler(client)
  if not known then
    return nil
  end
  for buffer in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].modified then
      return known.source
    end
  end
  return not notes.is_checked(client.id) and known.source or nil
end

return M
