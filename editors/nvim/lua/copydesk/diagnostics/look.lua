--- Waits until every server of a buffer has spoken about the text as it is, or until time is over.
---
--- Contract: what the servers have said is judged anew whenever something happens, so it does not matter in which order
--- things do. The result is in the words of the protocol; the weakest proof counts. Nothing is left running.

local judge = require("copydesk.diagnostics.judge")
local server = require("copydesk.server")
local notes = require("copydesk.diagnostics.notes")
local ready = require("copydesk.diagnostics.ready")

local M = {}

--- Some things happen without an event (a server that registers, one that is hung): so often they are looked at.
local PULSE = 200

---@class copydesk.Look
---@field buffer integer
---@field uri string As the desk spells it.
---@field asked? integer The version that the desk wants.
---@field waits boolean Whether servers may be asked.
---@field deadline number
---@field ready_by number Until when servers that are not ready are waited for.
---@field wake fun()
---@field pulls table<integer, copydesk.Pull>
local Look = {}
Look.__index = Look

--- What one server says; nothing where it does not count.
---@param client vim.lsp.Client
---@param is_late boolean
---@return copydesk.Verdict?
function Look:verdict(client, is_late)
  if not client.initialized then
    return { starting = true }
  end
  local identifiers = server.pulls(client, self.buffer)
  if #identifiers > 0 and not self.waits then
    return judge.pulled(client, self.buffer, identifiers)
  elseif #identifiers > 0 then
    local pull = self.pulls[client.id]
    pull = pull or require("copydesk.diagnostics.pull").new(client, self.buffer, self.wake)
    self.pulls[client.id] = pull
    local verdict = pull:verdict(identifiers)
    if verdict and is_late and not verdict.proof then
      verdict.items = judge.pulled(client, self.buffer, identifiers).items
    end
    if verdict then
      return verdict
    end
  end
  local verdict = judge.published(client, self.buffer)
  if verdict.wants_touch and self.waits then
    require("copydesk.diagnostics.ground").touch(client, self.buffer)
  end
  if ready.is_unsettled(client) or not next(verdict.items or {}) and ready.is_loading(client) then
    return { items = verdict.items, starting = true }
  elseif not verdict.items and judge.is_silent(client) then
    return nil
  end
  return verdict
end

--- All there is, in the words of the protocol.
---@param verdicts table<vim.lsp.Client, copydesk.Verdict>
---@return copydesk.DiagnosticsResult
function Look:conclude(verdicts)
  local version = notes.desk_version(self.buffer)
  local proof = (version or 0) < (self.asked or 0) and "unknown" or "proven"
  local sets, starting, unseen = {}, false, {}
  for client, verdict in pairs(verdicts) do
    unseen[#unseen + 1] = require("copydesk.diagnostics.saved").unseen(client)
    starting = starting or verdict.starting or false
    proof = judge.weaker(proof, verdict)
    if verdict.items then
      sets[#sets + 1] = { items = verdict.items, from = client.offset_encoding, id = client.id }
    end
  end
  if #sets == 0 then
    return { state = starting and "starting" or "cancelled" }
  end
  table.sort(sets, function(a, b)
    return a.id < b.id
  end)
  local position, item = require("copydesk.position"), require("copydesk.diagnostics.item")
  local items = item.union(sets, position.lines_of(self.buffer), position.encoding())
  local file = { uri = self.uri, version = version, proof = proof, items = items }
  file.unseen = #unseen > 0 and unseen or nil
  local files = { file }
  item.limit(files)
  return { state = starting and "starting" or "answered", files = files }
end

--- The result, or nothing and when to look again.
---@return copydesk.DiagnosticsResult?
---@return number? again
function Look:step()
  if not vim.api.nvim_buf_is_loaded(self.buffer) then
    return { state = "cancelled" }
  end
  local now = notes.now()
  local is_late = now >= self.deadline
  local version = notes.desk_version(self.buffer)
  local is_fresh = (version or self.asked or 0) >= (self.asked or 0)
  local verdicts, again, is_starting = {}, math.min(self.deadline, now + PULSE), false
  local ready_by = self.ready_by
  for _, client in ipairs(server.of(self.buffer)) do
    local verdict = self:verdict(client, is_late)
    if verdict then
      verdicts[client] = verdict
      is_fresh = is_fresh and (verdict.proof ~= nil or verdict.is_final == true)
      if verdict.starting then
        is_starting, ready_by = true, math.max(ready_by, ready.back_by(client) or 0)
      end
      again = math.min(again, verdict.again or again)
    end
  end
  if next(verdicts) == nil then
    return { state = "unsupported" }
  elseif is_fresh or is_late or is_starting and now >= ready_by then
    return self:conclude(verdicts)
  end
  return nil, is_starting and math.min(again, ready_by) or again
end

--- Must be called in a coroutine.
---@param buffer integer
---@param params copydesk.DiagnosticsParams
---@param deadline number
---@return copydesk.DiagnosticsResult
function M.look(buffer, params, deadline)
  local timer = assert(vim.uv.new_timer())
  local now = notes.now()
  local look = setmetatable({
    buffer = buffer,
    uri = params.uri,
    asked = params.version,
    waits = now < deadline,
    deadline = deadline,
    ready_by = now + (params.waitReady or math.huge),
    pulls = {},
  }, Look)
  local stop_listening
  local result, problem = require("copydesk.await").await(function(done)
    local is_over, is_queued = false, false
    local function step()
      is_queued = false
      if is_over then
        return
      end
      local went, result, again = pcall(look.step, look)
      if not went or result then
        is_over = true
        return done(went and result, not went and result)
      end
      timer:start(math.max(1, math.ceil(again - notes.now())), 0, look.wake)
    end
    function look.wake()
      if not is_queued and not is_over then
        is_queued = true
        vim.schedule(step)
      end
    end
    stop_listening = notes.listen(look.wake)
    step()
  end)
  stop_listening()
  timer:stop()
  timer:close()
  for _, pull in pairs(look.pulls) do
    pull:cancel()
  end
  return result or error(problem, 0)
end

return M
