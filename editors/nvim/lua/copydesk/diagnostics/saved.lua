--- Who behind a server looks only at what was saved: the compiler, whose word the server passes on after a save.
---
--- Contract: says who has not seen the texts as they are, so that nobody takes silence for approval.

local notes = require("copydesk.diagnostics.notes")
local runs = require("copydesk.diagnostics.runs")

local M = {}

---@class copydesk.Compiler
---@field source string What it is named.
---@field sources string[] What its diagnostics name as their source.
---@field tokens string[] How the tokens of its work begin.

---@param client vim.lsp.Client
---@return copydesk.Compiler?
local function compiler(client)
  local known = require("copydesk.diagnostics.behavior").of(client)
  local sources = known.savesFor or {}
  return sources[1] and { source = sources[1], sources = sources, tokens = known.saveTokens or {} } or nil
end

--- A server says how far its work is.
---@param data {client_id: integer, params: {token: any, value: any}}
function M.progress(data)
  local client = vim.lsp.get_client_by_id(data.client_id)
  local known, kind = client and compiler(client), vim.tbl_get(data, "params", "value", "kind")
  local token = tostring(vim.tbl_get(data, "params", "token"))
  for _, beginning in ipairs(known and known.tokens or {}) do
    if vim.startswith(token, beginning) then
      runs.progress(data.client_id, token, kind)
    end
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
  return not runs.has_seen(client.id, notes.landed(client.id)) and known.source or nil
end

--- Whether there is a compiler, and it has seen the texts as they are.
---@param client vim.lsp.Client
---@return boolean
function M.has_seen(client)
  return compiler(client) ~= nil and not M.unseen(client)
end

--- What a server published, without what its compiler said of texts before: servers say that again with whatever they publish next, until
--- the compiler has seen what was saved.
---@param client vim.lsp.Client
---@param items table[]
---@return table[]
function M.seen(client, items)
  local known = compiler(client)
  if not known or not M.unseen(client) then
    return items
  end
  return vim.tbl_filter(function(one)
    return type(one) ~= "table" or not vim.list_contains(known.sources, one.source)
  end, items)
end

return M
