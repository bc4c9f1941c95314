--- The line to `copydesk lsp`, as `vim.lsp` wants it.
---
--- Neovim's own handling of a server that refuses `initialize`, or ends, is a stack trace or a message without a way out. So
--- both are caught here, before Neovim sees them, and told to `events`.

local M = {}

---@class copydesk.WireEvents
---@field refused fun(message: string) The desk refused to talk to us.
---@field ended fun(code: integer, signal: integer) The process ended, for whatever reason.

--- A change with the version that its text has. (Neovim 0.10 begins to count at 0 again when one more client attaches, and
--- says so of a change that was made before.)
---@param params lsp.DidChangeTextDocumentParams
---@return lsp.DidChangeTextDocumentParams
local function numbered(params)
  if params.textDocument.version ~= 0 then
    return params
  end
  local buffer = require("copydesk.buffer")
  local bufnr = buffer.of(params.textDocument.uri)
  local document = { uri = params.textDocument.uri, version = bufnr and buffer.version(bufnr) or 0 }
  return { textDocument = document, contentChanges = params.contentChanges }
end

--- A value for `cmd` of `vim.lsp`.
---@param path string The program.
---@param events copydesk.WireEvents
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.command(path, events)
  return function(dispatchers)
    local rpc
    local on_exit = dispatchers.on_exit
    local wrapped = vim.tbl_extend("force", {}, dispatchers, {
      on_exit = function(code, signal)
        -- Neovim is told of a good end: how it really ended is ours to tell.
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
      return notify(method, method == "textDocument/didChange" and numbered(params) or params)
    end
    return rpc
  end
end

return M
