--- Gives the daemon access to the user's language servers: which of them serve a document, and messages to them.
---
--- Contract: uses only the user's own servers. Waits by yielding, never longer than the request allows. A message about a document is sent
--- only while the server has the version that the daemon expects.

local server = require("copydesk.server")
local signal = require("copydesk.signal")

local M = {}

local CONTENT_MODIFIED, REQUEST_FAILED = -32801, -32803

---@class copydesk.ServerRequest
---@field server integer
---@field method string
---@field buffer? integer
---@field cancel fun()
---@field fail fun(code: integer, message: string)

local requests = {} ---@type table<string, copydesk.ServerRequest> Open requests by key.

--- The daemon numbers requests per server, so an id alone is ambiguous.
---@param params copydesk.EditorServerMessageParams
---@return string
local function request_key(params)
  return ("%s:%s"):format(params.server, params.id)
end

--- Starts the reports to a new connection.
---@param daemon vim.lsp.Client
function M.start(daemon)
  require("copydesk.visit").release_all()
  -- The daemon that sent them is gone, and the new one counts from the start.
  for key, request in pairs(requests) do
    requests[key] = nil
    request.cancel()
    request.fail(REQUEST_FAILED, "the connection was closed")
  end
  require("copydesk.diagnostics.report").start(daemon)
end

--- Handles `copydesk/editor/servers`. Call it in a coroutine.
---@param params copydesk.EditorServersParams
---@return copydesk.EditorServersResult
function M.servers(params)
  local deadline = signal.now() + (params.wait or 0)
  require("copydesk.diagnostics.report").sweep()
  return require("copydesk.visit").hold(params.uri, deadline, params.wait ~= nil, function(loaded)
    local function clients()
      return vim.api.nvim_buf_is_loaded(loaded) and server.of(loaded) or {}
    end
    local is_started = signal.wait(deadline, function()
      return vim.iter(clients()):all(function(client)
        return client.initialized
      end)
    end)
    local ids = {}
    for _, client in ipairs(clients()) do
      if client.initialized then
        server.flush(client)
        ids[#ids + 1] = client.id
      end
    end
    if is_started and #ids == 0 then
      return { state = "unsupported" }
    end
    -- Neovim reports a sent message in the next turn of its loop. The daemon must get that report before this result.
    require("copydesk.await").await(function(done)
      vim.schedule(done)
    end)
    if not vim.api.nvim_buf_is_loaded(loaded) then
      return { state = "cancelled" }
    end
    return {
      state = is_started and "answered" or "starting",
      uri = vim.uri_from_bufnr(loaded),
      version = require("copydesk.diagnostics.versions").version(loaded),
      servers = ids,
    }
  end)
end

--- Handles `copydesk/editor/serversDone`.
---@param params copydesk.EditorServersDoneParams
function M.done(params)
  require("copydesk.visit").release(params.uri)
end

--- The buffer of a document, if the server has the version that a message is about.
---@param client vim.lsp.Client
---@param document copydesk.ServerDocumentVersion
---@return integer? buffer
local function buffer_with_version(client, document)
  server.flush(client)
  local reported = require("copydesk.diagnostics.report").document(client.id, document.uri)
  if not reported or not vim.api.nvim_buf_is_loaded(reported.buffer) then
    return nil
  end
  -- A text that was sent just now is not in `reported` yet.
  local has_version = reported.version == document.version and require("copydesk.diagnostics.versions").is_newest(reported)
  return has_version and reported.buffer or nil
end

---@param code integer
---@param message string
---@return copydesk.EditorServerResponse
local function failed(code, message)
  return { error = { code = code, message = message } }
end

--- Handles `copydesk/editor/serverRequest`. Call it in a coroutine.
---@param params copydesk.EditorServerMessageParams
---@return copydesk.EditorServerResponse
function M.request(params)
  local client = vim.lsp.get_client_by_id(params.server)
  -- The daemon gets the report that a server has ended before the failure of a request to it.
  require("copydesk.diagnostics.report").sweep()
  if not client or server.is_stopped(client) then
    return failed(REQUEST_FAILED, "the language server has ended")
  end
  local buffer = params.document and buffer_with_version(client, params.document)
  if params.document and not buffer then
    return failed(CONTENT_MODIFIED, "the text has changed")
  end
  local key, request = request_key(params), { server = client.id, buffer = buffer, method = params.method } ---@type string, copydesk.ServerRequest
  local stop_taking = params.takesEdits and require("copydesk.diagnostics.report").take_edits(client, function()
    return vim.iter(pairs(requests)):fold(0, function(count, _, open)
      return open.server == client.id and open.method == "workspace/executeCommand" and count + 1 or count
    end)
  end)
  local response = require("copydesk.await").await(function(done)
    function request.fail(code, message)
      done(failed(code, message))
    end
    requests[key] = request
    request.cancel = server.request(client, params.method, params.params, buffer, function(problem, result)
      if not problem then
        done({ result = result })
      elseif server.may_ask_again(problem) then
        request.fail(problem.code, tostring(problem.message))
      else
        request.fail(problem.code == -32802 and REQUEST_FAILED or problem.code or REQUEST_FAILED, tostring(problem.message))
      end
    end)
  end)
  if stop_taking then
    stop_taking()
  end
  if requests[key] == request then
    requests[key] = nil
  end
  require("copydesk.diagnostics.report").sweep()
  return response
end

--- Handles `copydesk/editor/serverNotify`.
---@param params copydesk.EditorServerMessageParams
function M.notify(params)
  local client = vim.lsp.get_client_by_id(params.server)
  if params.method == "$/cancelRequest" then
    local request = requests[request_key(params)]
    if request then
      request.cancel()
      request.fail(-32800, "the request was cancelled")
    end
  elseif client and not server.is_stopped(client) and (not params.document or buffer_with_version(client, params.document)) then
    -- Otherwise the server has a newer text. The report of that makes the daemon forget its message.
    server.notify(client, params.method, params.params)
  end
end

--- Cancels a server's open requests about a buffer that it has closed.
---@param id integer
---@param buffer integer
function M.detached(id, buffer)
  for _, request in pairs(requests) do
    if request.server == id and request.buffer == buffer then
      request.cancel()
      request.fail(CONTENT_MODIFIED, "the document was closed")
    end
  end
end

--- Fails all open requests of a server that has ended.
---@param id integer
function M.ended(id)
  for _, request in pairs(requests) do
    if request.server == id then
      request.cancel()
      request.fail(REQUEST_FAILED, "the language server has ended")
    end
  end
end

return M
