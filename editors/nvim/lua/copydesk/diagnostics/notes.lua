--- What is known between the language servers and the documents: who was told what, and has said what, and when.
---
--- Contract: knows nothing about a buffer that is not attached, so that what is kept is bounded by what is open. Every server
--- counts the versions of a text for itself; `in_desk_numbers` says which of them the desk means.

local M = {}

---@class copydesk.Said A set of diagnostics, as a server sent it.
---@field items table[]
---@field at number When it came.
---@field version? integer For which version, in the server's numbers, where it was said.
---@field is_early? boolean The server was not ready; or it is empty, and the server did not know the project yet.

---@class copydesk.Told What a server was told last of a document.
---@field at number When.
---@field saved number When it was told that the document was saved; 0 where it was not.
---@field version integer In the server's numbers.
---@field head? string See `ground.lua`.

---@class copydesk.Note What is known between one server and one document.
---@field buffer integer
---@field same? {theirs: integer, desk?: integer, tick: integer} One text in the numbers of both; later ones are the same.
---@field opening? boolean The document is being opened, and `same` is known.
---@field changed? number When its text became another one for the server.
---@field landed? number When that came to the disk, where it was opened since.
---@field first? integer The version that it was opened with.
---@field touched? {version: integer, of: integer, at: number} It was told of the text of version `of` once more.
---@field ground? {version: integer, head: string, at: number} See `ground.lua`.
---@field told? copydesk.Told
---@field published? copydesk.Said
---@field pulled table<string, copydesk.Said> By identifier.

---@class copydesk.Watched What is known of one server.
---@field since number
---@field publishes boolean It has published something, of whatever file.
---@field began integer When it was first known, in seconds of the clock on the wall.
---@field elsewhere number When something was last changed that is not open.
---@field heard number When it last published.
---@field saved number When it was last told of a save.
---@field notes table<string, copydesk.Note> By URI.
---@field leaving table<string, true> Documents that are closed with the text that their files have.

local servers = {} ---@type table<integer, copydesk.Watched>
local listeners = {} ---@type table<fun(), true>

---@return number milliseconds
function M.now()
  return vim.uv.hrtime() / 1e6
end

--- Has a function called, at the main loop, whenever something was noted.
---@param listener fun()
---@return fun() stop
function M.listen(listener)
  listeners[listener] = true
  return function()
    listeners[listener] = nil
  end
end

--- Calls them.
function M.emit()
  for _, listener in ipairs(vim.tbl_keys(listeners)) do
    if listeners[listener] then
      listener()
    end
  end
end

---@param id integer
---@return copydesk.Watched
local function server(id)
  if not servers[id] then
    servers[id] = { since = M.now(), publishes = false, notes = {} }
    servers[id].began, servers[id].elsewhere, servers[id].heard = os.time(), 0, 0
    servers[id].leaving, servers[id].saved = {}, 0
  end
  return servers[id]
end

---@param id integer
---@param uri any
---@return copydesk.Note?
local function note_at(id, uri)
  local spelled = require("copydesk.position").uri(uri)
  return servers[id] and spelled and servers[id].notes[spelled]
end

--- When anything was last changed that what is said of a document may depend on, as far as a server knows.
---@param id integer
---@param note copydesk.Note
---@return number
function M.elsewhere(id, note)
  local known, ground, client = server(id), require("copydesk.diagnostics.ground"), vim.lsp.get_client_by_id(id)
  local last = known.elsewhere
  for _, other in pairs(known.notes) do
    local changed = other ~= note and other.changed
    if changed and changed > last and vim.api.nvim_buf_is_valid(other.buffer) then
      local is_part = not client or not ground.stands_alone(client, other.buffer)
      last = is_part and changed or last
    end
  end
  return last
end

--- When a server last published, of whatever file.
---@param id integer
---@return number
function M.heard(id)
  return server(id).heard
end

--- When the last change came to the disk that the compiler behind a server has to look at: by a save, or in another way. A text
--- that was read again from there was not saved, and nobody has the compiler look at it.
---@param id integer
---@return number
function M.landed(id)
  local known = server(id)
  local last = math.max(known.saved, known.elsewhere)
  for _, note in pairs(known.notes) do
    last = math.max(last, note.landed or note.changed or 0)
  end
  return last
end

---@param id integer
---@param params any
function M.published(id, params)
  params = type(params) == "table" and params or {}
  server(id).publishes = true
  server(id).heard = M.now()
  local note, client = note_at(id, params.uri), vim.lsp.get_client_by_id(id)
  if note and client then
    local items = type(params.diagnostics) == "table" and params.diagnostics or {}
    local ready = require("copydesk.diagnostics.ready")
    note.published = {
      items = items,
      is_early = ready.is_unsettled(client) or #items == 0 and ready.is_loading(client),
      version = type(params.version) == "number" and params.version or nil,
      at = M.now(),
    }
    local ground = require("copydesk.diagnostics.ground")
    if ground.is_for(client) then
      ground.heard(id, note, note.published.version)
      if note.touched and note.touched.version == note.published.version then
        note.published.version = note.touched.of
      end
    end
  end
end

---@param id integer
---@param result any
---@param context lsp.HandlerContext
function M.pulled(id, result, context)
  local params = context.params or {}
  local note = note_at(id, vim.tbl_get(params, "textDocument", "uri"))
  if note and type(result) == "table" and type(result.items) == "table" then
    local identifier = type(params.identifier) == "string" and params.identifier or ""
    -- Nothing may also be what is left of a question that Neovim cancelled, and proves nothing.
    local version = #result.items > 0 and context.version or nil
    local client = vim.lsp.get_client_by_id(id)
    local is_early = client ~= nil and require("copydesk.diagnostics.ready").is_unsettled(client)
    note.pulled[identifier] = { items = result.items, version = version, at = M.now(), is_early = is_early }
  end
end

--- The version of a text as the desk counts; nothing where the desk does not see the buffer and knows only the file.
---@param buffer integer
---@return integer?
function M.desk_version(buffer)
  local ours = require("copydesk.client").get()
  if ours and vim.lsp.buf_is_attached(buffer, ours.id) then
    return require("copydesk.buffer").version(buffer)
  end
  return require("copydesk.untitled").version(buffer)
end

--- Systems keep the time of files in steps of up to so many milliseconds.
local TICK = 10

--- A document was opened. Where its file was written since the server is known, that is a change.
---@param note copydesk.Note
---@param known copydesk.Watched
local function opened(note, known)
  local is_valid = vim.api.nvim_buf_is_valid(note.buffer)
  local stat = is_valid and vim.uv.fs_stat(vim.api.nvim_buf_get_name(note.buffer))
  if stat and stat.mtime.sec < known.began then
    return
  end
  note.changed, note.landed = note.told.at, nil
  -- One that was moved there has come later than it was written; a disk that counts in seconds says too little.
  if stat and stat.mtime.nsec ~= 0 then
    local seconds, microseconds = vim.uv.gettimeofday()
    local function age(time)
      return (seconds - time.sec) * 1e3 + microseconds / 1e3 - time.nsec / 1e6
    end
    note.landed = note.told.at - math.max(0, math.min(age(stat.mtime), age(stat.ctime)) - TICK)
  end
end

--- A document is attached to a server.
---@param id integer
---@param buffer integer
---@param is_opening boolean It was told of the document just now.
function M.attached(id, buffer, is_opening)
  local uri = require("copydesk.position").uri(vim.uri_from_bufnr(buffer))
  if not uri then
    return
  end
  local note = { buffer = buffer, pulled = {} } ---@type copydesk.Note
  server(id).notes[uri] = note
  if is_opening then
    local theirs = vim.lsp.util.buf_versions[buffer] or 0
    local tick = vim.api.nvim_buf_get_changedtick(buffer)
    note.told = { version = theirs, at = M.now(), saved = 0 }
    note.same = { theirs = theirs, desk = M.desk_version(buffer), tick = tick }
    note.opening, note.first = true, theirs
    opened(note, server(id))
    require("copydesk.diagnostics.ground").told(id, note, true)
  end
end

--- The desk was told of a document that servers know already, perhaps under another number.
---@param buffer integer
function M.desk_attached(buffer)
  local desk, tick = vim.lsp.util.buf_versions[buffer] or 0, vim.api.nvim_buf_get_changedtick(buffer)
  -- Where nothing was noted before: newer Neovims give all clients the same number, older ones this one.
  local unknown = vim.fn.has("nvim-0.11") == 1 and desk or tick
  for _, known in pairs(servers) do
    for _, note in pairs(known.notes) do
      if note.buffer == buffer then
        note.same = { theirs = note.told and note.told.version or unknown, desk = desk, tick = tick }
      end
    end
  end
end

--- A document is not attached to a server any more.
---@param id integer
---@param buffer integer
function M.detached(id, buffer)
  require("copydesk.diagnostics.ground").forget(buffer)
  local known = servers[id]
  for uri, note in pairs(known and known.notes or {}) do
    if note.buffer == buffer then
      known.notes[uri] = nil
    end
  end
end

--- A server has ended.
---@param id integer
function M.ended(id)
  servers[id] = nil
  for _, room in ipairs({ "ready", "runs", "disk" }) do
    require("copydesk.diagnostics." .. room).ended(id)
  end
end

--- A text was read again from the disk: what was said is of another one, although that may have had the same number.
---@param buffer integer
function M.forget(buffer)
  for _, known in pairs(servers) do
    for _, note in pairs(known.notes) do
      if note.buffer == buffer then
        note.published, note.pulled = nil, {}
      end
    end
  end
end

--- The note about a document that has got another name: what was said under the old one is of the past.
---@param id integer
---@param uri string
---@return copydesk.Note?
local function renamed(id, uri)
  local buffer, known = require("copydesk.buffer").of(uri), servers[id]
  local note ---@type copydesk.Note?
  for old, other in pairs(known and known.notes or {}) do
    if other.buffer == buffer then
      known.notes[old], note = nil, other
    end
  end
  local spelled = require("copydesk.position").uri(uri)
  if note and spelled then
    note.published, note.pulled = nil, {}
    known.notes[spelled] = note
  end
  return note
end

--- A buffer goes that has the text of its file: for whoever serves it nothing changes.
---@param buffer integer
function M.leaves(buffer)
  for _, known in pairs(servers) do
    for uri, note in pairs(known.notes) do
      known.leaving[uri] = note.buffer == buffer or known.leaving[uri] or nil
    end
  end
end

--- A document was opened, changed, saved or closed as far as a server knows.
---@param data {client_id: integer, method: string, params: table}
function M.told(data)
  local is_opening, is_changing = data.method == "textDocument/didOpen", data.method == "textDocument/didChange"
  if data.method == "textDocument/didClose" or data.method == "workspace/didChangeWatchedFiles" then
    local known, closed = server(data.client_id), vim.tbl_get(data, "params", "textDocument", "uri")
    local uri = closed and require("copydesk.position").uri(closed)
    if uri and known.leaving[uri] then
      known.leaving[uri] = nil
    else
      known.elsewhere = M.now()
      require("copydesk.diagnostics.ground").disk_changed(data.client_id)
    end
    require("copydesk.diagnostics.disk").changed(data.client_id, vim.tbl_get(data, "params", "changes"), function(changed)
      return known.notes[changed] ~= nil
    end)
    return
  elseif is_changing and require("copydesk.diagnostics.ground").is_ours(vim.tbl_get(data, "params", "textDocument", "version")) then
    return
  elseif data.method == "textDocument/didSave" then
    server(data.client_id).saved = M.now()
  end
  local document = vim.tbl_get(data, "params", "textDocument")
  local note = document and note_at(data.client_id, document.uri)
  if document and not note and data.method == "textDocument/didOpen" then
    note = renamed(data.client_id, document.uri)
  end
  if not note then
    return
  end
  if data.method == "textDocument/didSave" then
    if note.told then
      note.told.saved = M.now()
    end
    -- Others see it only from now on.
    local client = vim.lsp.get_client_by_id(data.client_id)
    if client and require("copydesk.diagnostics.ground").is_for(client) then
      note.changed, note.landed = M.now(), nil
    end
    return
  end
  local version = document.version
  note.told = { version = version, at = M.now(), saved = note.told and note.told.saved or 0 }
  if data.method == "textDocument/didOpen" then
    if not note.opening then
      -- Read again from the disk, or under another name: all were told so, under one number.
      local is_valid = vim.api.nvim_buf_is_valid(note.buffer)
      local tick = is_valid and vim.api.nvim_buf_get_changedtick(note.buffer) or 0
      note.same = { theirs = version, desk = version, tick = tick }
    end
    note.opening = nil
  end
  if is_changing then
    note.changed, note.landed = note.told.at, nil
  elseif is_opening then
    opened(note, server(data.client_id))
  end
  require("copydesk.diagnostics.ground").told(data.client_id, note, is_opening)
end

--- Whether a server has ever published anything, and since when we would know.
---@param id integer
---@return boolean publishes
---@return number since
function M.publishes(id)
  local known = server(id)
  return known.publishes, known.since
end

---@param id integer
---@param buffer integer
---@return copydesk.Note?
function M.of(id, buffer)
  local note = note_at(id, vim.uri_from_bufnr(buffer))
  -- All buffers without a name have the same URI here.
  return note and note.buffer == buffer and note or nil
end

--- A server's number of a version in the desk's numbers; nothing where that cannot be known.
---@param note copydesk.Note
---@param version? integer
---@return integer?
function M.in_desk_numbers(note, version)
  if not version or not note.same then
    return version
  elseif version == note.same.theirs then
    return note.same.desk
  end
  return version > note.same.tick and version or nil
end

return M
