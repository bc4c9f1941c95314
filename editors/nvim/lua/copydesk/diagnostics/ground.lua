--- Whether what a server said of a text was made with what the text includes, as that is now.
---
--- Some (clangd) keep what they made of the head of a text, and say something of the next text at once, with what they kept, and once more when
--- the head is made anew, under the same version. So their word on a text has a ground only where the head could be kept, where there was
--- nothing to keep, or where they were told of the very same text once more after they had spoken of it.

local behavior = require("copydesk.diagnostics.behavior")
local included = require("copydesk.diagnostics.included")
local notes = require("copydesk.diagnostics.notes")

local M = {}

--- Versions from here on are ours, and no text is ever changed under them.
local OURS = 1000000000
local count = 0

--- Whether a server is such a one: it can be made to look at a text once more.
---@param client vim.lsp.Client
---@return boolean
function M.is_for(client)
  return behavior.of(client).touch ~= nil
end

--- Whether a version is one under which nothing was changed.
---@param version any
---@return boolean
function M.is_ours(version)
  return type(version) == "number" and version > OURS
end

--- What the texts of buffers include, by buffer: the last parts of the names, of one state of the text.
local open = {} ---@type table<integer, {tick: integer, names: table<string, true>}>

---@param buffer integer
---@return table<string, true>
local function includes(buffer)
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  if not open[buffer] or open[buffer].tick ~= tick then
    local lines = vim.iter(vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
    local names = included.names(function()
      return lines:next()
    end)
    open[buffer] = { tick = tick, names = names }
  end
  return open[buffer].names
end

--- The folder that a server works in.
---@param client vim.lsp.Client
---@param buffer integer
---@return string
local function root_of(client, buffer)
  local root = client.root_dir or client.config.root_dir
  return vim.fs.normalize(root or vim.fs.dirname(vim.api.nvim_buf_get_name(buffer)))
end

--- What is known of the disk below that.
---@param client vim.lsp.Client
---@param buffer integer
---@return copydesk.Included
local function on_disk(client, buffer)
  return included.below(root_of(client, buffer))
end

--- Files were changed that the server has not open.
---@param id integer
function M.disk_changed(id)
  local client = vim.lsp.get_client_by_id(id)
  if client and M.is_for(client) then
    local root = client.root_dir or client.config.root_dir
    included.forget(root and vim.fs.normalize(root))
  end
end

--- A document was written, and with it what it includes: that is known also when nobody has it open any more.
---@param buffer integer
function M.written(buffer)
  for _, client in ipairs(require("copydesk.server").of(buffer)) do
    if M.is_for(client) then
      included.add(root_of(client, buffer), includes(buffer))
    end
  end
end

--- Whether nobody includes a document, as far as can be seen: neither another document that the server has, nor a file on the disk.
---@param client vim.lsp.Client
---@param buffer integer
---@return boolean
function M.stands_alone(client, buffer)
  local path = vim.api.nvim_buf_get_name(buffer)
  if not M.is_for(client) or not included.UNITS[included.ending(path)] then
    return false
  end
  local disk = on_disk(client, buffer)
  if not disk.is_done or disk.names[vim.fs.basename(path)] then
    return false
  end
  for other in pairs(client.attached_buffers) do
    local is_other = other ~= buffer and vim.api.nvim_buf_is_loaded(other)
    if is_other and includes(other)[vim.fs.basename(path)] then
      return false
    end
  end
  return true
end

--- Forgets a buffer that a server has no more.
---@param buffer integer
function M.forget(buffer)
  open[buffer] = nil
end

--- All lines up to the first that includes nothing and is no comment.
---@param buffer integer
---@param beginnings string[] How lines begin that include something.
---@return string
local function head(buffer, beginnings)
  local function includes_something(line)
    return vim.iter(beginnings):any(function(beginning)
      return vim.startswith(line, beginning)
    end)
  end
  local found, in_comment, goes_on = {}, false, false
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    local rest = vim.trim(line)
    while not goes_on do
      local after
      if in_comment then
        after = rest:match("%*/(.*)$")
      else
        after = rest:match("^/%*(.*)$")
      end
      if not after then
        break
      end
      rest, in_comment = vim.trim(after), not in_comment
    end
    if not (goes_on or in_comment or rest == "" or rest:match("^//") or includes_something(rest)) then
      break
    end
    if not in_comment and not rest:match("^//") then
      local last = rest:match(".*/%*(.*)$")
      in_comment = last ~= nil and not last:find("*/", 1, true)
    end
    goes_on = not in_comment and rest:sub(-1) == "\\"
    found[#found + 1] = line
  end
  return table.concat(found, "\n")
end

--- It was told of a text.
---@param id integer
---@param note copydesk.Note
---@param is_opening boolean
function M.told(id, note, is_opening)
  local told, client = note.told, vim.lsp.get_client_by_id(id)
  if not told or not client or not M.is_for(client) then
    return
  end
  on_disk(client, note.buffer)
  note.first = is_opening and told.version or note.first
  -- We hear of it a moment later: where the text is already another one, nobody knows what the head was.
  local is_there = vim.api.nvim_buf_is_loaded(note.buffer) and vim.lsp.util.buf_versions[note.buffer] == told.version
  told.head = is_there and head(note.buffer, behavior.of(client).head or {}) or nil
  if note.ground and (is_opening or note.ground.head ~= told.head) then
    note.ground = nil
  end
end

--- It published.
---@param id integer
---@param note copydesk.Note
---@param version? integer
function M.heard(id, note, version)
  local told, touched = note.told, note.touched
  if not told or not told.head then
    return
  end
  local is_again = touched ~= nil and touched.version == version and touched.of == told.version
  if version ~= told.version and not is_again then
    return
  end
  local at, elsewhere = is_again and touched.at or told.at, notes.elsewhere(id, note)
  local is_first = version == note.first
  local is_kept = note.ground ~= nil and note.ground.head == told.head and elsewhere <= note.ground.at
  if elsewhere <= at and (is_first or is_again or is_kept) then
    note.ground = { version = told.version, head = told.head, at = at }
  end
end

--- Whether it says something of texts that are not saved, where others include them.
---@param client vim.lsp.Client
---@return boolean
local function sees_unsaved(client)
  local command, argument = client.config.cmd, behavior.of(client).unsavedArgument
  return not argument or type(command) == "table" and vim.list_contains(command, argument)
end

--- Whether another document that this may include is not saved, and is not seen.
---@param client vim.lsp.Client
---@param buffer integer
---@return boolean
local function is_blind(client, buffer)
  if sees_unsaved(client) then
    return false
  end
  for other in pairs(client.attached_buffers) do
    local is_changed = other ~= buffer and vim.api.nvim_buf_is_loaded(other) and vim.bo[other].modified
    if is_changed and not M.stands_alone(client, other) then
      return true
    end
  end
  return false
end

--- What was judged, as far as it has a ground.
---@param client vim.lsp.Client
---@param note copydesk.Note
---@param verdict copydesk.Verdict
---@param is_named boolean It was said of the version that the text has.
---@return copydesk.Verdict
function M.verdict(client, note, verdict, is_named)
  local disk = on_disk(client, note.buffer)
  if not disk.is_done then
    return { items = verdict.items }
  elseif is_blind(client, note.buffer) then
    return { items = verdict.items, is_final = true }
  end
  local has_ground = note.ground ~= nil and note.told ~= nil and note.ground.version == note.told.version
  if is_named and has_ground and notes.elsewhere(client.id, note) <= note.ground.at then
    return { items = verdict.items, proof = disk.is_whole and "proven" or "likely" }
  end
  return { items = verdict.items, wants_touch = is_named }
end

--- Tells it of the very same text once more, if that is still to be done.
---@param client vim.lsp.Client
---@param buffer integer
function M.touch(client, buffer)
  local note = notes.of(client.id, buffer)
  local told = note and note.told
  if not note or not told or told.version ~= vim.lsp.util.buf_versions[buffer] then
    return
  end
  local since = math.max(told.at, notes.elsewhere(client.id, note))
  if note.touched and note.touched.of == told.version and note.touched.at >= since then
    return
  end
  count = count + 1
  note.touched = { version = OURS + count, of = told.version, at = notes.now() }
  local params = vim.tbl_extend("force", behavior.of(client).touch, {
    textDocument = { uri = vim.uri_from_bufnr(buffer), version = note.touched.version },
    contentChanges = {},
  })
  require("copydesk.server").notify(client, "textDocument/didChange", params)
end

return M
