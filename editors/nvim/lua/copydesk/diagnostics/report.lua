--- Reports to the daemon what the user's language servers receive and send. The daemon decides what that proves.
---
--- Contract: reports keep the order of events, and are sent only while connected; a new connection gets everything again.

local versions = require("copydesk.diagnostics.versions")
local observer = require("copydesk.diagnostics.received")
local methods = require("copydesk.protocol").methods
local server = require("copydesk.server")
local signal = require("copydesk.signal")

local M = {}

--- Versions from this on are the daemon's own resends; they change no text.
local OWN_VERSIONS = 1000000000

---@class copydesk.ReportedServer
---@field documents table<string, copydesk.ReportedDocument> By URI.
---@field greatest table<string, integer> The greatest version that each URI had.
---@field progress table<string|integer, number> When the progress of each token was last reported.

local servers = {} ---@type table<integer, copydesk.ReportedServer>
local daemon_id ---@type integer?
local is_listening = false

---@param method string
---@param params table
local function send(method, params)
  local daemon = daemon_id and vim.lsp.get_client_by_id(daemon_id)
  if daemon and not server.is_stopped(daemon) then
    server.notify(daemon, method, params)
  end
end

---@param id integer
---@param method string
---@param params any
local function report_received(id, method, params)
  if servers[id] then
    send(methods.serverReceived, { server = id, method = method, params = params })
  end
end

--- Neovim reports a sent message in the next turn of its loop. So received messages are reported then, too, which keeps the order.
---@param id integer
---@param method string
---@param params any
local function report_received_later(id, method, params)
  if type(params) == "table" then
    -- A copy, because the user's handler may filter it.
    params = vim.tbl_extend("force", {}, params)
    params.diagnostics = type(params.diagnostics) == "table" and vim.list_slice(params.diagnostics) or params.diagnostics
  end
  vim.schedule(function()
    report_received(id, method, params)
    signal.emit()
  end)
end

---@param id integer
---@param document copydesk.ReportedDocument
---@param event copydesk.ServerDocumentEvent
---@param version integer
---@param is_running? boolean
---@return copydesk.ServerDocumentParams
local function document_params(id, document, event, version, is_running)
  local buffer = document.buffer
  local is_valid = vim.api.nvim_buf_is_valid(buffer)
  return {
    server = id,
    uri = document.uri,
    event = event,
    language = event == "opened" and is_valid and vim.bo[buffer].filetype or nil,
    version = version,
    document = versions.for_daemon(document, version),
    modified = is_valid and vim.bo[buffer].modified or false,
    running = is_running,
  }
end

---@param id integer
---@param document copydesk.ReportedDocument
---@param event copydesk.ServerDocumentEvent
---@param is_running? boolean
local function report(id, document, event, is_running)
  send(methods.serverDocument, document_params(id, document, event, document.version, is_running))
  local repeated = (event == "opened" or event == "changed") and versions.repeated(servers[id].greatest, document)
  local client = repeated and event == "opened" and vim.lsp.get_client_by_id(id)
  if client and versions.newest_version(document) <= repeated then
    require("copydesk.visit").renew(document.buffer, repeated)
    server.flush(client)
  end
end

---@param id integer
---@param document copydesk.ReportedDocument
---@param is_running boolean The server had it open before the connection began.
local function report_opened(id, document, is_running)
  if servers[id] then
    servers[id].documents[document.uri] = document
    report(id, document, "opened", is_running)
  end
end

--- Reports a server, once per connection.
---@param client vim.lsp.Client
---@param is_running boolean
local function report_started(client, is_running)
  if servers[client.id] then
    return
  end
  servers[client.id] = { documents = {}, greatest = {}, progress = {} }
  server.on_exit(client, M.sweep)
  local command, root = client.config.cmd, client.root_dir or client.config.root_dir
  send(methods.serverStarted, {
    server = client.id,
    name = client.name,
    ownName = vim.tbl_get(client, "server_info", "name"),
    command = type(command) == "table" and command or nil,
    root = root and vim.uri_from_fname(vim.fs.normalize(root)) or nil,
    encoding = client.offset_encoding,
    capabilities = client.server_capabilities or vim.empty_dict(),
    running = is_running,
  })
  if is_running then
    local registered = observer.registrations(client)
    if #registered > 0 then
      report_received(client.id, "client/registerCapability", { registrations = registered })
    end
    for token, title in pairs(client.progress.pending) do
      local value = { kind = "begin", title = tostring(title) }
      report_received(client.id, "$/progress", { token = token, value = value })
    end
  end
end

---@param id integer
---@param uri any
---@return copydesk.ReportedDocument?
local function document_of(id, uri)
  local spelled = require("copydesk.position").uri(uri)
  return servers[id] and spelled and servers[id].documents[spelled]
end

--- The document of a didOpen whose buffer was renamed. Reports the old name as closed.
---@param id integer
---@param uri string
---@return copydesk.ReportedDocument?
local function report_renamed(id, uri)
  local buffer, spelled = require("copydesk.buffer").of(uri), require("copydesk.position").uri(uri)
  local documents = servers[id] and servers[id].documents or {}
  for old, document in pairs(documents) do
    if document.buffer == buffer and spelled then
      documents[old] = nil
      if not document.closed then
        report(id, document, "closed")
      end
      documents[spelled] = vim.tbl_extend("force", document, { uri = spelled })
      return documents[spelled]
    end
  end
end

--- Reports of messages that Neovim has sent to a server, by method.
local ON_SENT = {}

---@param id integer
---@param params {textDocument: {uri: string, version: integer}}
ON_SENT["textDocument/didOpen"] = function(id, params)
  local document = document_of(id, params.textDocument.uri) or report_renamed(id, params.textDocument.uri)
  if document and not document.opening then
    versions.reopened(document, params.textDocument.version)
    report(id, document, "opened")
  end
end

ON_SENT["textDocument/didChange"] = function(id, params)
  local document, version = document_of(id, params.textDocument.uri), params.textDocument.version
  if document and version < OWN_VERSIONS and version ~= document.early then
    versions.changed(document, version)
    report(id, document, "changed")
  end
end

ON_SENT["textDocument/didClose"] = function(id, params)
  local document = document_of(id, params.textDocument.uri)
  if document and not document.closed then
    -- It stays known: after a reload or under another name it is opened again.
    document.closed = true
    report(id, document, "closed")
  end
end

ON_SENT["workspace/didChangeWatchedFiles"] = function(id, params)
  M.watched(id, params.changes)
end

--- Reports that a server was notified of changed files on the disk.
---@param id integer
---@param changes {uri: string, type: integer}[]
function M.watched(id, changes)
  if servers[id] then
    send(methods.serverWatched, { server = id, changes = changes })
  end
end

---@param buffer integer
---@param run fun(id: integer, document: copydesk.ReportedDocument)
local function each_document(buffer, run)
  for id, reported in pairs(servers) do
    for _, document in pairs(reported.documents) do
      if document.buffer == buffer and not document.closed then
        run(id, document)
      end
    end
  end
end

--- Reports the daemon's version of a document that servers already have, perhaps under another version.
---@param buffer integer
---@param ours? integer
local function report_renumbered(buffer, ours)
  if vim.api.nvim_buf_is_valid(buffer) then
    each_document(buffer, function(id, document)
      versions.renumber(document, ours)
      report(id, document, "renumbered")
    end)
  end
end

---@param id integer
---@param buffer integer
local function report_detached(id, buffer)
  for uri, document in pairs(servers[id] and servers[id].documents or {}) do
    if document.buffer == buffer then
      servers[id].documents[uri] = nil
      if not document.closed then
        report(id, document, "closed")
      end
    end
  end
end

--- Reports that the user has written a buffer to its own file: the text that it has now, which may change before the report.
---@param buffer integer
local function report_saved(buffer)
  versions.written(buffer)
  local at_write = {} ---@type table<copydesk.ReportedDocument, copydesk.ServerDocumentParams>
  each_document(buffer, function(id, document)
    local client = vim.lsp.get_client_by_id(id)
    if client then
      server.flush(client)
    end
    at_write[document] = document_params(id, document, "saved", versions.newest_version(document))
  end)
  -- Neovim reports the changes that it has sent before.
  vim.schedule(function()
    each_document(buffer, function(id, document)
      send(methods.serverDocument, at_write[document] or document_params(id, document, "saved", document.version))
    end)
  end)
end

--- Reports servers that have ended. Neovim fires no event if one has no buffer.
function M.sweep()
  for id in pairs(servers) do
    local client = vim.lsp.get_client_by_id(id)
    if not client or server.is_stopped(client) then
      servers[id] = nil
      send(methods.serverEnded, { server = id })
      require("copydesk.diagnostics").ended(id)
      signal.emit()
    end
  end
end

local function listen()
  local group = vim.api.nvim_create_augroup("copydesk.diagnostics", {})
  ---@param event string
  ---@param callback fun(event: table)
  local function on(event, callback)
    local desc = "Copydesk reports the traffic of language servers"
    vim.api.nvim_create_autocmd(event, {
      group = group,
      desc = desc,
      callback = function(data)
        callback(data)
        signal.emit()
      end,
    })
  end
  on("LspAttach", function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and not server.is_ours(client) then
      observer.wrap_handlers(client, report_received_later)
      local document = versions.new(event.buf, true)
      vim.schedule(function()
        -- The user's `on_attach` has run by now.
        observer.wrap_handlers(client, report_received_later)
        report_started(client, false)
        if document then
          report_opened(client.id, document, false)
        end
        M.sweep()
        signal.emit()
      end)
    end
  end)
  on("LspDetach", function(event)
    local id = event.data.client_id
    -- The buffer may be half deleted now, and a message to the daemon would first flush its changes.
    vim.schedule(function()
      report_detached(id, event.buf)
      require("copydesk.diagnostics").detached(id, event.buf)
      M.sweep()
      signal.emit()
    end)
  end)
  on("LspNotify", function(event)
    local report_sent = servers[event.data.client_id] and ON_SENT[event.data.method]
    if report_sent then
      report_sent(event.data.client_id, event.data.params)
    end
  end)
  on("LspProgress", function(event)
    local id, params = event.data.client_id, event.data.params
    if observer.is_progress_due(servers[id] and servers[id].progress or {}, params) then
      report_received_later(id, "$/progress", params)
    end
  end)
  on("BufWritePost", function(event)
    if require("copydesk.document").is_own_file(event) then
      report_saved(event.buf)
    end
  end)
end

--- The daemon has got a buffer's text as a new document.
---@param buffer integer
function M.synced(buffer)
  vim.schedule(function()
    report_renumbered(buffer, require("copydesk.sync").version(buffer))
    signal.emit()
  end)
end

--- Reports all servers and documents to a new connection.
---@param daemon vim.lsp.Client
function M.start(daemon)
  daemon_id, servers = daemon.id, {}
  if not is_listening then
    is_listening = true
    listen()
  end
  for _, client in ipairs(server.all()) do
    if client.initialized then
      observer.wrap_handlers(client, report_received_later)
      report_started(client, true)
      server.flush(client)
      for buffer in pairs(client.attached_buffers) do
        local document = vim.api.nvim_buf_is_valid(buffer) and versions.new(buffer, false)
        if document then
          report_opened(client.id, document, true)
        end
      end
    end
  end
  -- A daemon that replaces another one has its documents already.
  for _, buffer in ipairs(require("copydesk.sync").buffers()) do
    report_renumbered(buffer, versions.version(buffer))
  end
end

--- Reports the edits of a server to the daemon instead of making them, until the result is called.
---@param client vim.lsp.Client
---@param own fun(): integer How many commands the daemon runs there.
---@return fun()
function M.take_edits(client, own)
  -- At once: the daemon must get an edit before the result of the command that made it.
  return observer.take_edits(client, function(method, params)
    report_received(client.id, method, params)
  end, own)
end

--- The document, if the server has it open.
---@param id integer
---@param uri string
---@return copydesk.ReportedDocument?
function M.document(id, uri)
  local document = document_of(id, uri)
  return document and not document.closed and document or nil
end

return M
