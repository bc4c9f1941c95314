--- Notes what the language servers are told and say, as it passes by.
---
--- Neovim drops the version that a server puts on its diagnostics, and with it the only proof that they are for the text as
--- it is. So each client's handlers are wrapped, around whatever the person has there.
---
--- Contract: the person's handlers see everything, unchanged, whatever goes wrong here.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- Our wrappers. A table of handlers may be shared by clients, and is wrapped once.
local wrappers = setmetatable({}, { __mode = "k" })
local started = false

--- Puts us before a handler of a client.
---@param client vim.lsp.Client
---@param method string
---@param see fun(id: integer, params: any, context: lsp.HandlerContext)
local function wrap(client, method, see)
  local inner = client.handlers[method]
  if inner and wrappers[inner] then
    return
  end
  local function wrapper(problem, params, context, config)
    if context and context.client_id then
      pcall(see, context.client_id, params, context)
      vim.schedule(notes.emit)
    end
    -- The person may have changed the common handler since.
    local next_one = inner or vim.lsp.handlers[method]
    if next_one then
      return next_one(problem, params, context, config)
    end
  end
  wrappers[wrapper] = true
  client.handlers[method] = wrapper
end

---@param client vim.lsp.Client
---@param buffer integer
---@param is_opening boolean It was told of the document just now.
local function watch(client, buffer, is_opening)
  wrap(client, "textDocument/publishDiagnostics", notes.published)
  wrap(client, "textDocument/diagnostic", notes.pulled)
  wrap(client, "experimental/serverStatus", require("copydesk.diagnostics.ready").status)
  notes.attached(client.id, buffer, is_opening)
end

local TELLING = {
  ["textDocument/didOpen"] = true,
  ["textDocument/didChange"] = true,
  ["textDocument/didSave"] = true,
  ["textDocument/didClose"] = true,
  ["workspace/didChangeWatchedFiles"] = true,
}

--- Begins to note. Called when the connection to the desk is made; again does nothing.
function M.start()
  if started then
    return
  end
  started = true
  local group = vim.api.nvim_create_augroup("copydesk.diagnostics", {})
  ---@param events string|string[]
  ---@param callback fun(event: table)
  local function on(events, callback)
    local desc = "Copydesk: for which text diagnostics are"
    vim.api.nvim_create_autocmd(events, { group = group, callback = callback, desc = desc })
  end
  local is_ours = require("copydesk.server").is_ours
  on("LspAttach", function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and is_ours(client) then
      notes.desk_attached(event.buf)
    elseif client then
      watch(client, event.buf, true)
    end
    notes.emit()
  end)
  on("LspDetach", function(event)
    notes.detached(event.data.client_id, event.buf)
    vim.schedule(function()
      if not vim.lsp.get_client_by_id(event.data.client_id) then
        notes.ended(event.data.client_id)
      end
      notes.emit()
    end)
  end)
  on("LspNotify", function(event)
    if TELLING[event.data.method] then
      notes.told(event.data)
      notes.emit()
    end
  end)
  on("LspProgress", function(event)
    require("copydesk.diagnostics.saved").progress(event.data)
    notes.emit()
  end)
  on("BufWritePost", function(event)
    require("copydesk.diagnostics.ground").written(event.buf)
  end)
  on("BufReadPost", function(event)
    notes.forget(event.buf)
  end)
  for _, client in ipairs(require("copydesk.server").all()) do
    for buffer in pairs(client.attached_buffers) do
      if client.initialized and vim.api.nvim_buf_is_valid(buffer) then
        watch(client, buffer, false)
      end
    end
  end
end

return M
