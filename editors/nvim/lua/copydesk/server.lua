--- Access to the user's own language servers.
---
--- Contract: never starts a server, and excludes the daemon's own client. A server that has exited or responds with an error gives an
--- error result: nothing throws. Differences between Neovim versions are handled here.

local M = {}

--- The name of the plugin's own client.
local OURS = "copydesk"

local has_methods = vim.fn.has("nvim-0.11") == 1

---@param client vim.lsp.Client
---@return boolean
function M.is_stopped(client)
  if has_methods then
    return client:is_stopped()
  end
  return client.is_stopped()
end

---@param filter? table
---@return vim.lsp.Client[]
local function clients(filter)
  local found = vim.tbl_filter(function(client)
    return client.name ~= OURS and not M.is_stopped(client)
  end, vim.lsp.get_clients(filter))
  table.sort(found, function(a, b)
    return a.id < b.id
  end)
  return found
end

---@param client vim.lsp.Client
---@return boolean
function M.is_ours(client)
  return client.name == OURS
end

--- The servers of a buffer, including those that still start.
---@param buffer integer
---@return vim.lsp.Client[]
function M.of(buffer)
  return clients({ bufnr = buffer, _uninitialized = true })
end

--- All servers, including those that still start.
---@return vim.lsp.Client[]
function M.all()
  return clients({ _uninitialized = true })
end

--- The clients with a callback.
local with_callback = setmetatable({}, { __mode = "k" })

--- Has a function called when a server ends. A second one for the same client is ignored.
---@param client vim.lsp.Client
---@param callback fun()
function M.on_exit(client, callback)
  ---@diagnostic disable-next-line: invisible
  local callbacks = client._on_exit_cbs
  if type(callbacks) == "table" and not with_callback[client] then
    with_callback[client] = true
    table.insert(callbacks, vim.schedule_wrap(callback))
  end
end

---@param client vim.lsp.Client
---@param method string
---@param buffer? integer
---@return boolean
function M.supports(client, method, buffer)
  if not client.initialized then
    return false
  elseif has_methods then
    return client:supports_method(method, buffer)
  end
  return client.supports_method(method, { bufnr = buffer })
end

--- Our open requests, by client and id: what to do if one is cancelled from outside.
---@type table<string, fun()>
local open = {}
local is_listening = false

--- When Neovim sends a request itself, it cancels any open one of the same kind for the buffer, and some servers answer a cancelled
--- request as if it had found nothing.
local function listen()
  if is_listening then
    return
  end
  is_listening = true
  vim.api.nvim_create_autocmd("LspRequest", {
    group = vim.api.nvim_create_augroup("copydesk.server", {}),
    desc = "Copydesk drops answers to cancelled requests",
    callback = function(event)
      local data = event.data
      local cancelled = data.request.type == "cancel" and open[data.client_id .. ":" .. data.request_id]
      if cancelled then
        cancelled()
      end
    end,
  })
end

---@param client vim.lsp.Client
---@param id integer
local function cancel(client, id)
  if M.is_stopped(client) then
    return
  elseif has_methods then
    client:cancel_request(id)
  else
    client.cancel_request(id)
  end
end

--- Sends pending changes of all documents. Neovim debounces them and sends only those of the requested document, but a result may
--- depend on the others.
---@param client vim.lsp.Client
function M.flush(client)
  local ok, tracking = pcall(require, "vim.lsp._changetracking")
  if ok and type(tracking) == "table" and tracking.flush then
    pcall(tracking.flush, client)
  end
end

--- Sends a request. `done` is called at most once: with an error, or with a result, which may be nil.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buffer? integer Its changes are sent first.
---@param done fun(problem?: lsp.ResponseError, result?: any)
---@return fun() cancel
function M.request(client, method, params, buffer, done)
  listen()
  local is_over, key = false, nil
  local function over()
    is_over = true
    if key then
      open[key] = nil
    end
  end
  local function answered(problem, result)
    if not is_over then
      over()
      done(problem or nil, result ~= vim.NIL and result or nil)
    end
  end
  M.flush(client)
  local ok, sent, id
  if has_methods then
    ok, sent, id = pcall(client.request, client, method, params, answered, buffer)
  else
    ok, sent, id = pcall(client.request, method, params, answered, buffer)
  end
  if not ok or not sent then
    answered({ code = -32803, message = ok and "the language server has ended" or tostring(sent) })
  elseif not is_over and id then
    key = client.id .. ":" .. id
    open[key] = function()
      answered({ code = -32802, message = "the request was cancelled", data = { at_once = true } })
    end
  end
  return function()
    if not is_over then
      over()
      if id then
        cancel(client, id)
      end
    end
  end
end

--- Sends a notification.
---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if has_methods then
    client:notify(method, params)
    return
  end
  -- Neovim 0.10 formats each message for an error text that it hardly ever needs, which takes 45 ms for a text of 600 KB.
  local inspect = vim.inspect
  ---@diagnostic disable-next-line: duplicate-set-field, assign-type-mismatch
  vim.inspect = function()
    return "…"
  end
  local went, problem = pcall(client.notify, method, params)
  vim.inspect = inspect
  if not went then
    error(problem, 0)
  end
end

--- The protocol's `FileChangeType`.
local CHANGES = { created = 1, written = 2, deleted = 3 }

--- Tells the servers of a project that one of its files changed on disk: Neovim does not watch files on every system.
---@param uri string
---@param reason copydesk.ChangeReason
function M.watched(uri, reason)
  local is_file, path = pcall(vim.uri_to_fname, uri)
  for _, client in ipairs(is_file and M.all() or {}) do
    local root = client.initialized and (client.root_dir or client.config.root_dir)
    if root and vim.startswith(path, vim.fs.normalize(root) .. "/") then
      local method = "workspace/didChangeWatchedFiles"
      local params = { changes = { { uri = uri, type = CHANGES[reason] } } }
      -- Neovim reports it only later, but earlier diagnostics are stale from now on.
      require("copydesk.diagnostics.report").watched(client.id, params.changes)
      M.notify(client, method, params)
    end
  end
end

--- Whether an error means that a retry may succeed soon.
---@param problem lsp.ResponseError
---@return boolean
function M.may_ask_again(problem)
  if problem.code == -32802 then
    local data = type(problem.data) == "table" and problem.data or {}
    return data.retriggerRequest ~= false
  end
  return problem.code == -32801 or problem.code == -32800
end

return M
