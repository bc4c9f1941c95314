--- Dispatches the daemon's requests and notifications.
---
--- Contract: every request gets a true response: an error on our side becomes the response that means "no". (vim.lsp sends no
--- response for a handler that returns nothing, and the daemon would wait.)

local methods = require("copydesk.protocol").methods

local M = {}

---@param run fun(params: table, client: vim.lsp.Client): table
---@param no fun(problem: string): table The response if `run` fails.
---@return lsp.Handler
local function request(run, no)
  return function(_, params, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if not client then
      return no("the connection is ending")
    end
    local trace
    local ok, answer = xpcall(run, function(problem)
      trace = debug.traceback(tostring(problem))
      return problem
    end, params or {}, client)
    if ok and answer then
      return next(answer) == nil and vim.empty_dict() or answer
    end
    require("copydesk.message").broken(answer, trace or "")
    return no(tostring(answer))
  end
end

---@param run fun(params: table)
---@return lsp.Handler
local function notification(run)
  return function(_, params)
    local ok, problem = xpcall(run, function(problem)
      return { tostring(problem), debug.traceback() }
    end, params or {})
    if not ok then
      require("copydesk.message").broken(problem[1], problem[2])
    end
  end
end

---@return table
local function cancelled()
  return { reply = "cancelled" }
end

---@return table
local function unsupported()
  return { state = "unsupported" }
end

---@return table<string, lsp.Handler>
function M.all()
  return {
    ["workspace/applyEdit"] = request(function(params, client)
      return require("copydesk.apply").handle(params, client)
    end, function(problem)
      return { applied = false, failureReason = problem }
    end),
    [methods.event] = notification(function(params)
      require("copydesk.session").handle_event(params)
    end),
    [methods.permissionAsk] = request(function(params)
      return require("copydesk.ask").permission(params)
    end, cancelled),
    [methods.permissionSettled] = notification(function(params)
      require("copydesk.ask").settled(params.session, params.ask, params.by)
    end),
    [methods.questionAsk] = request(function(params)
      return require("copydesk.ask").question(params)
    end, cancelled),
    [methods.questionSettled] = notification(function(params)
      require("copydesk.ask").settled(params.session, params.question, params.by)
    end),
    [methods.editorServers] = request(function(params)
      return require("copydesk.diagnostics").servers(params)
    end, unsupported),
    [methods.editorServersDone] = notification(function(params)
      require("copydesk.diagnostics").done(params)
    end),
    [methods.editorServerRequest] = request(function(params)
      return require("copydesk.diagnostics").request(params)
    end, function(problem)
      return { error = { code = -32803, message = problem } }
    end),
    [methods.editorServerNotify] = notification(function(params)
      require("copydesk.diagnostics").notify(params)
    end),
    [methods.editorSelection] = request(function()
      return require("copydesk.editor").selection()
    end, vim.empty_dict),
    [methods.editorOpenFiles] = request(function()
      return require("copydesk.editor").open_files()
    end, vim.empty_dict),
    [methods.editorShow] = request(function(params)
      return require("copydesk.editor").show(params)
    end, function()
      return { shown = false }
    end),
    [methods.documentSave] = request(function(params)
      return require("copydesk.document").save(params)
    end, function(problem)
      return { saved = false, message = problem }
    end),
    [methods.documentChanged] = notification(function(params)
      require("copydesk.document").changed(params)
    end),
    [methods.restarted] = notification(function()
      local client = require("copydesk.client").get()
      if client then
        require("copydesk.diagnostics").start(client)
      end
      require("copydesk.session").reload()
    end),
  }
end

return M
