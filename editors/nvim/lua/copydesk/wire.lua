--- The connection to `copydesk lsp`, as `vim.lsp` expects it.
---
--- When a server rejects `initialize` or exits, Neovim shows a stack trace or a message without advice. So both are caught here, before
--- Neovim sees them, and passed to `events`.

local M = {}

---@class copydesk.WireEvents
---@field refused fun(message: string) The daemon rejected `initialize`.
---@field ended fun(code: integer, signal: integer) The process has exited.

--- Corrects the version of a change. (Neovim 0.10 restarts its count at 0 when another client attaches, and uses that for a change made
--- before.)
---@param params lsp.DidChangeTextDocumentParams
---@return lsp.DidChangeTextDocumentParams
local function with_version(params)
  if params.textDocument.version ~= 0 then
    return params
  end
  local buffer = require("copydesk.buffer")
  local bufnr = buffer.of(params.textDocument.uri)
  local document = { uri = params.textDocument.uri, version = bufnr and buffer.version(bufnr) or 0 }
  return { textDocument = document, contentChanges = params.contentChanges }
end

--- A value for `cmd` of `vim.lsp`.
---@param path string The binary.
---@param events copydesk.WireEvents
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.command(path, events)
  return function(dispatchers)
    local rpc
    local on_exit = dispatchers.on_exit
    local wrapped = vim.tbl_extend("force", {}, dispatchers, {
      on_exit = function(code, signal)
        -- Neovim gets a success: we report the real exit.
        on_exit(0, 0)
        vim.schedule(function()
          events.ended(code, signal)
        end)
      end,
    })
    rpc = vim.lsp.rpc.start({ path, "lsp" }, wrapped)
    local request = rpc.request
    rpc.request = function(method, params, callback, ...)
      if method ~= "initialize" then
        return request(method, params, callback, ...)
      end
      return request(method, params, function(problem, result)
        if not problem then
          return callback(problem, result)
        end
        events.refused(problem.message or vim.inspect(problem))
        rpc.terminate()
      end, ...)
    end
    local notify = rpc.notify
    rpc.notify = function(method, params)
      return notify(method, method == "textDocument/didChange" and with_version(params) or params)
    end
    return rpc
  end
end

return M
