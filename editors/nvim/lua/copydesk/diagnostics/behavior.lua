--- How language servers behave where they differ, by the daemon's table: the one place that looks at a server's name.
---
--- Contract: the rows come with the daemon's greeting and stay when the connection breaks. Of a server that has no row nothing
--- special is known.

local M = {}

---@type table<string, copydesk.ServerBehavior> By each of their names.
local rows = {}

---@type copydesk.ServerBehavior
local UNKNOWN = { names = {} }

--- Takes the rows from the daemon's greeting.
---@param client vim.lsp.Client The connection to the daemon.
function M.learn(client)
  local hello = vim.tbl_get(client.server_capabilities or {}, "experimental", "copydesk")
  for _, row in ipairs(type(hello) == "table" and hello.servers or {}) do
    for _, name in ipairs(row.names) do
      rows[name] = row
    end
  end
end

--- The row of a server: by the name that the user's configuration gives it, else by its own.
---@param client vim.lsp.Client
---@return copydesk.ServerBehavior
function M.of(client)
  return rows[client.name] or rows[vim.tbl_get(client, "server_info", "name")] or UNKNOWN
end

return M
