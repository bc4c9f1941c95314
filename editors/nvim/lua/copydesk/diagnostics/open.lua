--- What servers that can be asked say of everything that is open, now: a change of one document may have broken another, and not
--- every server says so by itself.
---
--- Contract: asks all at once, and waits by yielding, never longer than it was told to. Of servers that only publish nothing is
--- asked. Nothing is left running.

local notes = require("copydesk.diagnostics.notes")
local server = require("copydesk.server")

local M = {}

--- Documents that are asked about, for each server.
local MOST = 20
--- So often it is looked whether one has ended, in milliseconds.
local PULSE = 200

---@class copydesk.OpenPull
---@field client vim.lsp.Client
---@field buffer integer
---@field identifiers string[]
---@field pull copydesk.Pull
---@field verdict? copydesk.Verdict

---@param wake fun()
---@return copydesk.OpenPull[]
local function questions(wake)
  local found = {}
  for _, client in ipairs(server.all()) do
    local buffers = vim.tbl_filter(function(buffer)
      return client.initialized and vim.api.nvim_buf_is_loaded(buffer) and #server.pulls(client, buffer) > 0
    end, vim.tbl_keys(client.attached_buffers))
    table.sort(buffers)
    for _, buffer in ipairs(vim.list_slice(buffers, 1, MOST)) do
      local pull = require("copydesk.diagnostics.pull").new(client, buffer, wake)
      found[#found + 1] = { client = client, buffer = buffer, identifiers = server.pulls(client, buffer), pull = pull }
    end
  end
  return found
end

--- Whether one has its answer, or will not have one.
---@param question copydesk.OpenPull
---@return boolean
local function is_settled(question)
  if server.is_stopped(question.client) or not vim.api.nvim_buf_is_loaded(question.buffer) then
    return true
  end
  question.verdict = question.pull:verdict(question.identifiers)
  return not question.verdict or question.verdict.proof ~= nil or question.verdict.starting == true
end

--- Must be called in a coroutine.
---@param deadline number
---@return table<integer, table<integer, copydesk.Verdict>> by_client_and_buffer Only what is proven.
function M.ask(deadline)
  local timer, is_over, is_queued = assert(vim.uv.new_timer()), false, false
  local asked, problem, wake
  require("copydesk.await").await(function(done)
    local function step()
      is_queued = false
      if is_over then
        return
      end
      local went, all = pcall(function()
        asked = asked or questions(wake)
        return vim.iter(asked):all(is_settled)
      end)
      problem = not went and all or nil
      local now = notes.now()
      if not went or all or now >= deadline then
        is_over = true
        return done()
      end
      timer:start(math.max(1, math.ceil(math.min(PULSE, deadline - now))), 0, wake)
    end
    function wake()
      if not is_queued and not is_over then
        is_queued = true
        vim.schedule(step)
      end
    end
    wake()
  end)
  timer:stop()
  timer:close()
  local found = {} ---@type table<integer, table<integer, copydesk.Verdict>>
  for _, question in ipairs(asked or {}) do
    question.pull:cancel()
    if question.verdict and question.verdict.proof then
      found[question.client.id] = found[question.client.id] or {}
      found[question.client.id][question.buffer] = question.verdict
    end
  end
  return problem and error(problem, 0) or found
end

return M
