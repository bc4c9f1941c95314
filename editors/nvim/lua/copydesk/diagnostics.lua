--- What the person's language servers say is wrong, and for which text they say it: `copydesk/editor/diagnostics`.
---
--- Contract: asks servers that can be asked, else goes by the version of what they publish, else by change and quiet; says
--- which of it was. Only the servers that the person has are used. Waits by yielding, never longer than it was told to.

local M = {}

--- Begins to note versions; without it, the first answers can prove less. Called when the connection is made.
function M.watch()
  require("copydesk.diagnostics.watch").start()
end

--- What is known of a document for which nobody wants to wait, and which is not loaded.
---@param uri string
---@return copydesk.DiagnosticsResult
local function unloaded(uri)
  for _, file in ipairs(M.everything().files) do
    if file.uri == uri then
      return { state = "answered", files = { file } }
    end
  end
  return { state = "cancelled" }
end

--- What one server has said, of any file.
---@param client vim.lsp.Client
---@param fresh? table<integer, copydesk.Verdict> What it was asked for just now, by buffer; nothing where it was not.
---@return table<integer, copydesk.Verdict> by_buffer
local function of_client(client, fresh)
  local judge, server = require("copydesk.diagnostics.judge"), require("copydesk.server")
  local found = {} ---@type table<integer, copydesk.Verdict>
  for buffer, items in pairs(judge.kept(client)) do
    found[buffer] = { items = items }
  end
  for buffer in pairs(client.attached_buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) then
      local identifiers = server.pulls(client, buffer)
      local verdict = judge.published(client, buffer)
      if #identifiers > 0 then
        verdict = fresh and fresh[buffer] or judge.pulled(client, buffer, identifiers)
        -- It has not said in time what it is now.
        verdict.items = verdict.items or fresh and {} or nil
      end
      if require("copydesk.diagnostics.ready").is_unsettled(client) then
        verdict.proof, verdict.at_least = nil, nil
      end
      found[buffer] = verdict.items and verdict or nil
    end
  end
  return found
end

--- All documents about which any server has something to say. Where there is time, servers are asked about what is open, and
--- what they find nothing in is told too; and what is not known, since what is not told of is taken for mended.
---@param deadline? number
---@return copydesk.DiagnosticsResult
function M.everything(deadline)
  local fresh = deadline and require("copydesk.diagnostics.open").ask(deadline)
  local position, item = require("copydesk.position"), require("copydesk.diagnostics.item")
  local judge, notes = require("copydesk.diagnostics.judge"), require("copydesk.diagnostics.notes")
  local clients = vim.tbl_filter(function(client)
    return client.initialized
  end, require("copydesk.server").all())
  local sets, proofs = {}, {} ---@type table<integer, table[]>, table<integer, copydesk.ProofLevel>
  local unseen = {} ---@type table<integer, string[]>
  for _, client in ipairs(clients) do
    local blind = require("copydesk.diagnostics.saved").unseen(client)
    for buffer, verdict in pairs(of_client(client, fresh and (fresh[client.id] or {}))) do
      if blind then
        unseen[buffer] = vim.list_extend(unseen[buffer] or {}, { blind })
      end
      sets[buffer] = sets[buffer] or {}
      table.insert(sets[buffer], { items = verdict.items, from = client.offset_encoding })
      proofs[buffer] = judge.weaker(proofs[buffer] or "proven", verdict)
    end
  end
  local files, read = {}, position.reader()
  for buffer, proof in pairs(proofs) do
    local uri = require("copydesk.buffer").uri(buffer)
    local items = item.union(sets[buffer], read(uri), position.encoding())
    if #items > 0 or deadline then
      local version, blind = notes.desk_version(buffer), unseen[buffer]
      files[#files + 1] = { uri = uri, version = version, proof = proof, items = items, unseen = blind }
    end
  end
  -- There may be more than are read: what is wrong goes first, and what is not known last.
  local function rank(file)
    return #file.items > 0 and 1 or file.proof ~= "unknown" and 2 or 3
  end
  table.sort(files, function(a, b)
    return rank(a) ~= rank(b) and rank(a) < rank(b) or rank(a) == rank(b) and a.uri < b.uri
  end)
  item.limit(files)
  return { state = #clients > 0 and "answered" or "unsupported", files = files }
end

--- Must be called in a coroutine.
---@param params copydesk.DiagnosticsParams
---@return copydesk.DiagnosticsResult
function M.answer(params)
  M.watch()
  local deadline = require("copydesk.diagnostics.notes").now() + (params.wait or 0)
  if not params.uri then
    return M.everything(params.wait and deadline or nil)
  end
  local buffer = require("copydesk.buffer").of(params.uri)
  if not params.wait and not (buffer and vim.api.nvim_buf_is_loaded(buffer)) then
    return unloaded(params.uri)
  end
  return require("copydesk.visit").with(params.uri, deadline, function(loaded)
    return require("copydesk.diagnostics.look").look(loaded, params, deadline)
  end)
end

return M
