--- When the compilers behind servers looked at what is saved, by the progress that they tell.
---
--- Contract: one may do several things at once, and the next one follows a moment after the last; only when all have ended has
--- it looked. What is kept is bounded, whatever a server says.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- After the end of one thing that the compiler does the next one follows within so many milliseconds.
local PAUSE = 200
--- A server that has more at work at once is not believed to have ended.
local MOST = 64

---@class copydesk.Runs
---@field began table<string, number> When each began, since nothing was at work.
---@field running table<string, true>
---@field ended number When one last ended.
---@field since? number When the first of those began that have all ended.

local servers = {} ---@type table<integer, copydesk.Runs>

--- The compiler behind a server has begun or ended something.
---@param id integer
---@param token string
---@param kind any
function M.progress(id, token, kind)
  local runs = servers[id] or { began = {}, running = {}, ended = 0 } ---@type copydesk.Runs
  servers[id] = runs
  if kind == "begin" then
    if next(runs.running) == nil then
      runs.began = {}
    end
    if runs.began[token] or vim.tbl_count(runs.began) < MOST then
      runs.began[token], runs.running[token] = notes.now(), true
    end
  elseif kind == "end" and runs.running[token] then
    runs.running[token], runs.ended = nil, notes.now()
    if next(runs.running) == nil then
      local is_full = vim.tbl_count(runs.began) >= MOST
      runs.since = not is_full and math.min(unpack(vim.tbl_values(runs.began))) or nil
    end
  end
end

--- Whether all was looked at that lay on the disk at this time.
---@param id integer
---@param time number
---@return boolean
function M.has_seen(id, time)
  local runs = servers[id]
  if not runs or next(runs.running) ~= nil or notes.now() < runs.ended + PAUSE then
    return false
  end
  return runs.since ~= nil and runs.since >= time
end

--- A server has ended.
---@param id integer
function M.ended(id)
  servers[id] = nil
end

return M
