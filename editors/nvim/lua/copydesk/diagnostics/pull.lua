--- One server, asked for the diagnostics of one buffer as it is.
---
--- Messages are ordered: the server has been told of the text before it is asked, so the answer is for that text. When the
--- text changes meanwhile the server is asked again, as it is when it says that it was overtaken, or when it has looked at the
--- project anew since: what it says before it has means nothing. What it was told of the disk it reads there in its own time:
--- it is asked a little later, and for a while what it answers is no proof.

local disk = require("copydesk.diagnostics.disk")
local judge = require("copydesk.diagnostics.judge")
local server = require("copydesk.server")
local notes = require("copydesk.diagnostics.notes")
local ready = require("copydesk.diagnostics.ready")
local tsserver = require("copydesk.diagnostics.tsserver")

local M = {}

--- Before a server is asked again, in milliseconds.
local PAUSE = 100

---@class copydesk.Pull
---@field client vim.lsp.Client
---@field buffer integer
---@field wake fun() Called when there is something new.
---@field tick? integer The text that was asked about.
---@field asked number When.
---@field round integer Counts the times that the server was asked.
---@field open integer Answers that are missing.
---@field items table[]
---@field retry_at? number
---@field was_loading boolean The server did not know the project yet when it was asked.
---@field readied? integer How often the server had looked at the project when it was asked.
---@field is_compiler boolean It is asked past the server.
---@field failed boolean It cannot be asked for this text.
---@field cancels fun()[]
local Pull = {}
Pull.__index = Pull

---@param client vim.lsp.Client
---@param buffer integer
---@param wake fun()
---@return copydesk.Pull
function M.new(client, buffer, wake)
  local new = { client = client, buffer = buffer, wake = wake, round = 0, open = 0, items = {}, cancels = {} }
  new.asked = 0
  return setmetatable(new, Pull)
end

---@param identifiers string[]
function Pull:ask(identifiers)
  self:cancel()
  self.tick, self.asked = vim.api.nvim_buf_get_changedtick(self.buffer), notes.now()
  -- The compiler answers when it has read the project.
  self.is_compiler = tsserver.is_own(identifiers[1])
  self.was_loading = not self.is_compiler and ready.is_loading(self.client)
  self.readied = ready.rounds(self.client)
  self.round = self.round + 1
  self.items, self.retry_at, self.failed, self.open = {}, nil, false, #identifiers
  local round = self.round
  for _, identifier in ipairs(identifiers) do
    local uri, is_compiler = vim.uri_from_bufnr(self.buffer), tsserver.is_own(identifier)
    local method = "textDocument/diagnostic"
    local params = { textDocument = { uri = uri }, identifier = identifier ~= "" and identifier or nil }
    if is_compiler then
      method, params = tsserver.question(identifier, uri)
    end
    local function answered(problem, result)
      if round == self.round then
        self:answered(problem, is_compiler and { items = tsserver.items(result) } or result)
      end
    end
    local cancel = server.request(self.client, method, params, self.buffer, answered)
    self.cancels[#self.cancels + 1] = cancel
  end
end

---@param problem? lsp.ResponseError
---@param result any
function Pull:answered(problem, result)
  self.open = self.open - 1
  if problem and server.may_ask_again(problem) then
    local at_once = type(problem.data) == "table" and problem.data.at_once
    self.retry_at = notes.now() + (at_once and 0 or PAUSE)
  elseif problem or type(result) ~= "table" or type(result.items) ~= "table" then
    self.failed = true
  else
    vim.list_extend(self.items, result.items)
  end
  self.wake()
end

--- How it stands; nothing where the server cannot be asked. Asks, where that is to be done.
---@param identifiers string[]
---@return copydesk.Verdict?
function Pull:verdict(identifiers)
  local is_same = self.tick == vim.api.nvim_buf_get_changedtick(self.buffer)
  local disk_read, disk_sure = disk.read(self.client)
  if notes.now() < disk_read then
    return { again = disk_read }
  elseif ready.is_unsettled(self.client) then
    return { starting = true }
  elseif not is_same or self.asked < disk_read or self.readied ~= ready.rounds(self.client) then
    self:ask(identifiers)
  elseif self.retry_at and notes.now() >= self.retry_at then
    self:ask(identifiers)
  end
  if self.failed then
    return nil
  elseif self.open > 0 then
    return { starting = self.was_loading }
  elseif self.retry_at then
    return { again = self.retry_at, starting = self.was_loading }
  end
  local items = vim.list_extend({}, self.items)
  vim.list_extend(items, self.is_compiler and {} or judge.beside(self.client, self.buffer))
  if #items == 0 and self.was_loading then
    -- It finds nothing because it knew nothing yet.
    self.retry_at = notes.now() + 2 * PAUSE
    return { again = self.retry_at, starting = true }
  end
  return { items = items, proof = self.asked >= disk_sure and "proven" or "likely" }
end

function Pull:cancel()
  self.round = self.round + 1
  for _, cancel in ipairs(self.cancels) do
    cancel()
  end
  self.cancels = {}
end

return M
