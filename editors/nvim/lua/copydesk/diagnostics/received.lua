--- Observes what the user's language servers send.
---
--- Neovim drops the version of published diagnostics. So the plugin wraps each client's handlers, including the user's own.
---
--- Contract: the user's handlers get everything, unchanged, even if the plugin fails. Each message is observed once.

local signal = require("copydesk.signal")

local M = {}

local PULL = "textDocument/diagnostic"

--- The plugin's wrappers. Clients may share a table of handlers, which is wrapped once.
local wrappers = setmetatable({}, { __mode = "k" })
--- The params of observed messages: a wrapper may be inside another one, if the user has wrapped it.
local observed = setmetatable({}, { __mode = "k" })

---@param client vim.lsp.Client
---@param method string
---@param observe fun(id: integer, method: string, params: any)
local function wrap(client, method, observe)
  local inner = client.handlers[method]
  if inner and wrappers[inner] then
    return
  end
  local function wrapper(problem, params, context, config)
    if type(params) ~= "table" or not observed[params] then
      observed[type(params) == "table" and params or {}] = true
      pcall(observe, context.client_id, method, params)
    end
    -- The user may have replaced the global handler since.
    local handler = inner or vim.lsp.handlers[method]
    if handler then
      return handler(problem, params, context, config)
    end
  end
  wrappers[wrapper] = true
  client.handlers[method] = wrapper
end

--- Whether a registration is about pull diagnostics: the daemon needs no other.
---@param params any
---@return boolean
local function is_about_pull(params)
  params = type(params) == "table" and params or {}
  return vim.iter(params.registrations or params.unregisterations or {}):any(function(registration)
    return type(registration) == "table" and registration.method == PULL
  end)
end

--- Wraps a client's handlers. Call it again after the user may have replaced them.
---@param client vim.lsp.Client
---@param observe fun(id: integer, method: string, params: any)
function M.wrap_handlers(client, observe)
  local function observe_registration(id, method, params)
    if is_about_pull(params) then
      observe(id, method, params)
    end
  end
  wrap(client, "textDocument/publishDiagnostics", observe)
  wrap(client, "experimental/serverStatus", observe)
  wrap(client, "client/registerCapability", observe_registration)
  wrap(client, "client/unregisterCapability", observe_registration)
end

--- How many commands a server runs, or was told to stop.
---@param client vim.lsp.Client
---@param kind "pending"|"cancel"
---@return integer
local function count_commands(client, kind)
  return vim.iter(pairs(client.requests or {})):fold(0, function(count, _, request)
    local is_command = request.method == "workspace/executeCommand" and request.type == kind
    return is_command and count + 1 or count
  end)
end

--- Gives the edits of a server to the daemon, until the result is called: the daemon runs a command there, and the user is to review what it
--- changes. If the daemon gives up, the edits that the command still sends are refused.
---@param client vim.lsp.Client
---@param report fun(method: string, params: any)
---@param own fun(): integer How many commands the daemon runs there. If there are more, an edit is refused: it may be the user's own.
---@return fun()
function M.take_edits(client, report, own)
  local method = "workspace/applyEdit"
  local inner = client.handlers[method]
  local is_over = false
  local handler ---@type function
  local function give_back()
    if client.handlers[method] == handler then
      client.handlers[method] = inner
    end
  end
  function handler(problem, params, context, config)
    if not is_over and count_commands(client, "pending") > own() then
      -- The user runs a command, too, and nothing says whose edit it is.
      return { applied = false, failureReason = "Copydesk runs a command there; try again" }
    elseif not is_over then
      report(method, params)
      return { applied = true }
    elseif count_commands(client, "cancel") > 0 then
      return { applied = false, failureReason = "the command was cancelled" }
    end
    give_back()
    return (inner or vim.lsp.handlers[method])(problem, params, context, config)
  end
  client.handlers[method] = handler
  return function()
    is_over = true
    if count_commands(client, "cancel") == 0 then
      give_back()
    end
  end
end

--- The registrations of pull diagnostics that a server has sent so far. Neovim 0.12 keeps them by capability, and adds one for the server's
--- own capability if that has an id; older ones keep them by method.
---@param client vim.lsp.Client
---@return table[]
function M.registrations(client)
  local by_name = vim.tbl_get(client, "dynamic_capabilities", "capabilities") or {}
  local static_id = vim.tbl_get(client, "server_capabilities", "diagnosticProvider", "id")
  local found = {}
  for _, name in ipairs({ PULL, "diagnosticProvider" }) do
    for _, registration in ipairs(by_name[name] or {}) do
      if registration.method == PULL and (not static_id or registration.id ~= static_id) then
        found[#found + 1] = registration
      end
    end
  end
  return found
end

--- Whether progress is worth a report: a server that indexes sends very much of it, and each report sends the user's pending changes.
---@param reported table<string|integer, number> When each token was last reported.
---@param params any
---@return boolean
function M.is_progress_due(reported, params)
  local token, value = vim.tbl_get(params, "token"), vim.tbl_get(params, "value")
  if type(value) ~= "table" or value.kind ~= "report" or token == nil then
    if token ~= nil then
      reported[token] = nil
    end
    return true
  end
  local now = signal.now()
  if now - (reported[token] or -math.huge) < require("copydesk.time_limits").progress_report then
    return false
  end
  reported[token] = now
  return true
end

return M
