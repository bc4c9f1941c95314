--- When servers have read what was changed on the disk: they are told of it, and read it there in their own time.
---
--- Contract: until then what they say is not of what lies there, and for a while after that it is not proven.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- So many milliseconds later they have read it.
local READ = 300
--- The TypeScript compiler takes longer to see that a folder is gone.
local FOLDER = 1500
--- For so long after they were told, it is not proven that they have.
local UNSURE = 2000

---@class copydesk.Disk
---@field told number When it was last told of a file that it has to read there.
---@field folder number When it was last told of one that is gone with its folder.

local servers = {} ---@type table<integer, copydesk.Disk>

--- A server is told of files there.
---@param id integer
---@param changes any
---@param is_open fun(uri: string): boolean Those it does not read.
function M.changed(id, changes, is_open)
  local known = servers[id] or { told = -math.huge, folder = -math.huge } ---@type copydesk.Disk
  servers[id] = known
  for _, change in ipairs(type(changes) == "table" and changes or {}) do
    local uri = require("copydesk.position").uri(change.uri)
    if not uri or not is_open(uri) then
      known.told = notes.now()
    end
    local is_file, path = pcall(vim.uri_to_fname, change.uri)
    if is_file and not vim.uv.fs_stat(vim.fs.dirname(path)) then
      known.folder = notes.now()
    end
  end
end

--- From when on a server has read what was changed there, as far as is known, and from when on that is sure.
---@param client vim.lsp.Client
---@return number read
---@return number sure
function M.read(client)
  local known = servers[client.id] or { told = -math.huge, folder = -math.huge }
  -- Some read what they were told of before they answer what they are asked next.
  local is_in_order = require("copydesk.diagnostics.behavior").of(client).diskInOrder
  local told = is_in_order and -math.huge or known.told
  local is_compiler = #require("copydesk.diagnostics.tsserver").identifiers(client) > 0
  return math.max(told + READ, is_compiler and known.folder + FOLDER or told), told + UNSURE
end

--- A server has ended.
---@param id integer
function M.ended(id)
  servers[id] = nil
end

return M
