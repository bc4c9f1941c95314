--- The user's language servers, for the daemon: which of them serve a document, and messages to them.
---
--- Contract: only servers that the user has are used. Waits by yielding, never longer than it was told to. A message about a document is
--- sent only while the server has the version that the daemon means.

local server = require("copydesk.server")
local signal = require("copydesk.signal")

local M = {}

local CONTENT_MODIFIED, REQUEST_FAILED = -32801, -32803

---@class copydesk.ServerRequest
---@field server integer
---@field buffer? integer
---@field cancel fun()
---@field fail fun(code: integer, message: string)

local requests = {} ---@type table<string, copydesk.ServerRequest> The open ones.

--- The daemon numbers the requests to each server by itself.
---@param params copydesk.EditorServerMessageParams
---@return string
local function request_key(params)
  return ("%s:%s"):format(params.server, params.id)
end

--- Starts to report what servers are told and say.
---@param daemon vim.lsp.Client
function M.start(daemon)
  require("copydesk.visit").release_all()
  require("copydesk.diagnostics.report").start(daemon)
end

--- Handles `copydesk/editor/servers`. Call it in a coroutine.
---@param params copydesk.EditorServersParams
---@return copydesk.EditorServersResult
function M.servers(params)
  local deadline = signal.now() + (params.wait or 0)
  local buffer = require("copydesk.buffer").of(params.uri)
  if not params.wait and not (buffer and vim.api.nvim_buf_is_loaded(buffer)) then
    return { state = "cancelled" }
  end
  return require("copydesk.visit").hold(params.uri, deadline, function(loaded)
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
    -- Neovim reports what it has sent a moment later; the daemon must know it before it gets this result.
    require("copydesk.await").await(function(done)
      vim.schedule(done)
    end)
    if not vim.api.nvim_buf_is_loaded(loaded) then
      return { state = "cancelled" }
    end
    return {
      state = is_started and "answered" or "starting",
      uri = vim.uri_from_bufnr(loaded),
      version = require("copydesk.diagnostics.numbers").version(loaded),
      servers = ids,
    }
  end)
end

--- Handles `copydesk/editor/serversDone`.
---@param params copydesk.EditorServersDoneParams
function M.done(params)
  require("copydesk.visit").release(params.uri)
end

--- Whether a server has the version of a document that a message is about.
---@param client vim.lsp.Client
---@param document copydesk.ServerDocumentVersion
---@return integer? buffer
local function expected(client, document)
  server.flush(client)
  local reported = require("copydesk.diagnostics.report").document(client.id, document.uri)
  if not reported or not vim.api.nvim_buf_is_loaded(reported.buffer) then
    return nil
  end
  -- What was sent just now is reported a moment later.
  local version = vim.lsp.util.buf_versions[reported.buffer] or reported.version
  local is_it = version == document.version or reported.version == document.version and reported.opening
  return is_it and reported.buffer or nil
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
  if not client or server.is_stopped(client) then
    return failed(REQUEST_FAILED, "the language server has ended")
  end
  local buffer = params.document and expected(client, params.document)
  if params.document and not buffer then
    return failed(CONTENT_MODIFIED, "the text has changed")
  end
  local answer = require("copydesk.await").await(function(done)
    local request = { server = client.id, buffer = buffer } ---@type copydesk.ServerRequest
    function request.fail(code, message)
      done(failed(code, message))
    end
    requests[request_key(params)] = request
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
  requests[request_key(params)] = nil
  return answer
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
  elseif client and not server.is_stopped(client) and (not params.document or expected(client, params.document)) then
    server.notify(client, params.method, params.params)
  end
end

--- A server has closed a buffer: its open requests about it are cancelled.
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

return M
