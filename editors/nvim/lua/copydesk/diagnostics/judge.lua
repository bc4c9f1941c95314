--- For which text the diagnostics are that a server has sent.
---
--- Contract: looks at what was noted and asks nobody. `proven` only where the server named the version, or was asked for it;
--- `likely` where it published after it was told of the text, and has been quiet since.

local notes = require("copydesk.diagnostics.notes")

local M = {}

--- Times, in milliseconds.
M.times = {
  --- Some servers send a set in two pieces under one version.
  named = 50,
  --- A set without a version may be for the text before; a later one follows soon.
  unnamed = 300,
  --- A server that has said nothing of any file after so long does not give diagnostics.
  silent = 30000,
}

---@class copydesk.Verdict
---@field items? table[] What the server said last; nothing where it has said nothing.
---@field proof? "proven"|"likely" How sure it is that they are for the text as it is.
---@field at_least? "likely" The same, for whoever cannot wait until `again`.
---@field again? number When it may be better.
---@field starting? boolean The server is not ready.
---@field is_final? boolean It will not be better.
---@field wants_touch? boolean It will be better when the server is told of the text once more.

--- What Neovim keeps of a server's diagnostics for a buffer, or for all, as the server sent them.
---@param client vim.lsp.Client
---@param buffer? integer
---@param identifiers? string[] Those that were pulled, instead of those that were published.
---@return table<integer, table[]> by_buffer
function M.kept(client, buffer, identifiers)
  local spaces = {}
  for _, identifier in ipairs(identifiers or {}) do
    local name = identifier ~= "" and identifier or nil
    spaces[#spaces + 1] = vim.lsp.diagnostic.get_namespace(client.id, true, name)
  end
  if not identifiers then
    spaces[1] = vim.lsp.diagnostic.get_namespace(client.id, false)
  end
  local found = {}
  for _, space in ipairs(spaces) do
    for _, one in ipairs(vim.diagnostic.get(buffer, { namespace = space })) do
      local raw = type(one.user_data) == "table" and one.user_data.lsp
      if raw then
        found[one.bufnr] = found[one.bufnr] or {}
        table.insert(found[one.bufnr], raw)
      end
    end
  end
  return found
end

--- Whether a server's version is that of the text as it is now.
---@param note copydesk.Note
---@param version? integer
---@return boolean
local function is_present(note, version)
  local desk = notes.desk_version(note.buffer)
  if desk then
    return notes.in_desk_numbers(note, version) == desk
  end
  -- The desk does not know the buffer, so it means the file.
  local told = note.told and note.told.version
  return version ~= nil and version == told and not vim.bo[note.buffer].modified
end

--- By what the server has published.
---@param client vim.lsp.Client
---@param buffer integer
---@return copydesk.Verdict
function M.published(client, buffer)
  local note = notes.of(client.id, buffer)
  local said = note and note.published
  if not note or not said then
    return { items = M.kept(client, buffer)[buffer] }
  end
  local verdict = { items = require("copydesk.diagnostics.saved").seen(client, said.items) } ---@type copydesk.Verdict
  local is_named = is_present(note, said.version)
  local ground = require("copydesk.diagnostics.ground")
  if ground.is_for(client) then
    return ground.verdict(client, note, verdict, is_named)
  end
  local told = not said.version and note.told
  local is_after = told and said.at > told.at and is_present(note, told.version)
  if not is_named and not is_after then
    return verdict
  end
  local own_settle = require("copydesk.diagnostics.behavior").of(client).settle
  local settle = own_settle or (is_named and M.times.named or M.times.unnamed)
  local elsewhere = notes.elsewhere(client.id, note)
  -- A version proves that the server has read what it was told before that, and nothing of what it was told later.
  local told_at = note.told and note.told.at or 0
  if elsewhere > told_at then
    -- What the change of another document did to this one is published after what it did to that.
    local heard = notes.heard(client.id)
    settle = own_settle or M.times.unnamed
    verdict.again = heard > elsewhere and heard + settle or nil
    verdict.proof = verdict.again and notes.now() >= verdict.again and "likely" or nil
    return verdict
  end
  local _, disk_sure = require("copydesk.diagnostics.disk").read(client)
  if notes.now() >= said.at + settle then
    local is_sure = is_named and not said.is_early and told_at >= disk_sure
    verdict.proof = is_sure and "proven" or "likely"
  else
    verdict.again = said.at + settle
    verdict.at_least = is_named and not said.is_early and "likely" or nil
  end
  return verdict
end

--- What a server that can be asked has published beside that: what its compiler says of the file, which is true until the
--- text is changed.
---@param client vim.lsp.Client
---@param buffer integer
---@return table[]
function M.beside(client, buffer)
  local note, saved = notes.of(client.id, buffer), require("copydesk.diagnostics.saved")
  local said, told = note and note.published, note and note.told
  if not said or not told or vim.bo[buffer].modified then
    return {}
  end
  -- When the compiler has seen everything it may have had nothing else to say than before.
  local is_of_now = said.at >= math.max(told.at, told.saved) or saved.has_seen(client)
  return is_of_now and saved.seen(client, said.items) or {}
end

--- By what Neovim has asked the server for on its own account.
---@param client vim.lsp.Client
---@param buffer integer
---@param identifiers string[]
---@return copydesk.Verdict
function M.pulled(client, buffer, identifiers)
  if require("copydesk.diagnostics.tsserver").is_own(identifiers[1]) then
    return M.published(client, buffer)
  end
  local note = notes.of(client.id, buffer)
  local items, is_all = {}, note ~= nil
  for _, identifier in ipairs(identifiers) do
    local said = note and note.pulled[identifier]
    is_all = is_all and said ~= nil and not said.is_early and is_present(note, said.version)
    vim.list_extend(items, said and said.items or M.kept(client, buffer, { identifier })[buffer] or {})
  end
  vim.list_extend(items, M.beside(client, buffer))
  local told_at = note and note.told and note.told.at or 0
  -- It was asked after it was told of the text, and maybe before something else was changed.
  if note and is_all and notes.elsewhere(client.id, note) <= told_at then
    local _, disk_sure = require("copydesk.diagnostics.disk").read(client)
    return { items = items, proof = told_at >= disk_sure and "proven" or "likely" }
  end
  return { items = #items > 0 and items or nil }
end

local STRENGTHS = { unknown = 1, likely = 2, proven = 3 }

--- The weaker of a proof and that of one more server.
---@param proof copydesk.ProofLevel
---@param verdict copydesk.Verdict
---@return copydesk.ProofLevel
function M.weaker(proof, verdict)
  local own = verdict.proof or verdict.at_least or "unknown"
  return STRENGTHS[own] < STRENGTHS[proof] and own or proof
end

--- Whether a server does not give diagnostics at all, as far as one can know.
---@param client vim.lsp.Client
---@return boolean
function M.is_silent(client)
  local publishes, since = notes.publishes(client.id)
  return not publishes and notes.now() - since >= M.times.silent
end

return M
