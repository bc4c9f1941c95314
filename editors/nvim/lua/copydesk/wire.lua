--- The connection to `copydesk lsp`, as `vim.lsp` expects it.
---
--- When a server rejects `initialize` or exits, Neovim shows a stack trace or a message without advice. So both are caught here, before
--- Neovim sees them, and passed to `events`.

local M = {}

---@class copydesk.WireEvents
---@field refused fun(message: string) The daemon rejected `initialize`.
---@field ended fun(code: integer, signal: integer) The process has exited.

--- Sends the pending changes of all buffers, so that the daemon reads every message with the text that the user sees.
---@param method string
local function flush_before(method)
  local is_about_text = vim.startswith(method, "textDocument/did")
  -- In a callback of the event loop, no buffer can be read.
  if not is_about_text and not vim.in_fast_event() then
    require("copydesk.sync").flush()
  end
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
        flush_before(method)
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
      flush_before(method)
      return notify(method, params)
    end
    return rpc
  end
end

return M
