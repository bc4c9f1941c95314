--- Whether language servers know the project, by what they say of themselves.
---
--- Contract: what a server finds, or does not find, while it does not know the project means nothing. One that says that it is
--- ready, and then looks at the project once more, is ready again soon, unless that took long the last time.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- What a server calls its work while it does not know the project yet. (A compiler that checks is not among it.)
local LOADING = { "index", "load", "fetch", "scan", "setting up", "initializ", "import", "crategraph" }
--- Looking once more takes no longer, in milliseconds, where it is waited for.
local SHORT = 3000

---@class copydesk.Readiness What a server says that tells when it is ready.
---@field rounds integer How often it began to look at the project.
---@field began? number When it began, while it does.
---@field was_ready boolean It was ready before that.
---@field took number How long it last took once more.

local servers = {} ---@type table<integer, copydesk.Readiness>

--- `experimental/serverStatus`.
---@param id integer
---@param params any
function M.status(id, params)
  if type(params) ~= "table" or type(params.quiescent) ~= "boolean" then
    return
  end
  local known = servers[id] or { rounds = 0, was_ready = false, took = 0 } ---@type copydesk.Readiness
  servers[id] = known
  if not params.quiescent and not known.began then
    known.began, known.rounds = notes.now(), known.rounds + 1
  elseif params.quiescent then
    known.took = known.began and known.was_ready and notes.now() - known.began or known.took
    known.began, known.was_ready = nil, true
  end
end

--- A server has ended.
---@param id integer
function M.ended(id)
  servers[id] = nil
end

--- Whether a server that tells says that it is not ready.
---@param client vim.lsp.Client
---@return boolean
function M.is_unsettled(client)
  local known = servers[client.id]
  return known ~= nil and known.began ~= nil
end

--- How often a server that tells has begun to look at the project: what it said of it before is of no use.
---@param client vim.lsp.Client
---@return integer
function M.rounds(client)
  local known = servers[client.id]
  return known and known.rounds or 0
end

--- Until when a server is worth waiting for that was ready, and looks once more.
---@param client vim.lsp.Client
---@return number?
function M.back_by(client)
  local known = servers[client.id]
  local is_short = known and known.began and known.was_ready and known.took <= SHORT
  return is_short and known.began + SHORT or nil
end

--- Whether a server says that it does not know the project yet: when it finds nothing now, that means nothing.
---@param client vim.lsp.Client
---@return boolean
function M.is_loading(client)
  if servers[client.id] then
    -- It says so itself: what else it is busy with does not matter.
    return M.is_unsettled(client)
  elseif require("copydesk.diagnostics.behavior").of(client).firstAnswer then
    return false
  end
  for _, title in pairs(client.progress.pending) do
    local words = tostring(title):lower()
    for _, word in ipairs(LOADING) do
      if words:find(word, 1, true) then
        return true
      end
    end
  end
  return false
end

return M
