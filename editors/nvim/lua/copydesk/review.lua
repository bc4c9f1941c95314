--- The agent's edits that nobody has decided yet: kept up to date, drawn in their buffers, told to whoever listens.
---
--- Contract: what is known is what the desk listed plus what it told since. A list is asked for when a session is loaded, when the
--- desk says so, and when lines that were told are not in the text; never twice at once, and never over and over. Nothing
--- here takes the focus or moves a cursor.

local draw = require("copydesk.review.draw")
local methods = require("copydesk.protocol").methods
local session = require("copydesk.session")
local state = require("copydesk.review.state")

local M = {}

--- Typing goes on for a while, and the desk hears of it a little later: until then lines are not looked for again, in milliseconds.
local PATIENCE = 400
--- So often lines are looked for again that stay where nobody finds them.
local TRIES = 3

---@type fun()[]
local listeners = {}
---@type table<string, integer> How many hunks of each session were announced.
local announced = {}
---@type table<string, { is_again?: boolean, rounds: integer, waiting: fun()[] }> Sessions whose list is under way.
local listing = {}
---@type table<string, integer> How often a document was listed again in vain.
local tries = {}
---@type table<string, true> Documents that are about to be listed again.
local due = {}
---@type table<string, true> Reviews that are too long, and were told of.
local too_long = {}

--- Hears when something has changed.
---@param listener fun()
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

--- How many hunks are undecided; in a session, or in all that are attached.
---@param id? string
---@return integer hunks
---@return integer files
function M.count(id)
  return state.count(id)
end

--- The reviews of what a buffer holds.
---@param bufnr integer
---@return copydesk.Reviewed[]
function M.of_buffer(bufnr)
  local buffer, all = require("copydesk.buffer"), state.all()
  local found = #all > 0 and state.all(buffer.uri(bufnr)) or all
  if #found > 0 or #all == 0 then
    return found
  end
  -- Several names may be of one file.
  local name = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(bufnr))
  return vim.tbl_filter(function(one)
    local is_file, other = pcall(vim.uri_to_fname, one.uri)
    return name ~= nil and is_file and vim.uv.fs_realpath(other) == name and buffer.of(one.uri) == bufnr
  end, all)
end

--- Lists a document again, a little later, if that has not been in vain too often.
---@param uri string
---@param bufnr integer
local function look_again(uri, bufnr)
  if due[uri] or (tries[uri] or 0) >= TRIES then
    return
  end
  if not require("copydesk.review.watch").is_typing(bufnr) then
    tries[uri] = (tries[uri] or 0) + 1
  end
  due[uri] = true
  vim.defer_fn(function()
    due[uri] = nil
    for _, one in ipairs(state.all(uri)) do
      M.list(one.session, uri)
    end
  end, PATIENCE)
end

--- Draws what a buffer has.
---@param bufnr integer
function M.draw(bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= "" then
    return
  end
  local reviews = M.of_buffer(bufnr)
  if #reviews == 0 and not draw.is_begun(bufnr) then
    return
  end
  require("copydesk.highlight").define()
  local lost, has_changed = draw.update(bufnr, reviews)
  if #lost > 0 then
    look_again(reviews[1].uri, bufnr)
  else
    for _, one in ipairs(reviews) do
      tries[one.uri] = nil
    end
  end
  if has_changed then
    require("copydesk.review.top").show(bufnr)
    require("copydesk.review.watch").buffer(bufnr, draw.has(bufnr))
  end
end

--- Something has changed: it is drawn, and told.
---@param uris table<string, true>
---@param id string
local function changed(uris, id)
  for uri in pairs(uris) do
    local bufnr = require("copydesk.buffer").of(uri)
    if bufnr then
      M.draw(bufnr)
    end
  end
  require("copydesk.review.hint").update()
  for _, listener in ipairs(listeners) do
    listener()
  end
  if #require("copydesk.ask").list(id) > 0 then
    require("copydesk.ask").changed()
  end
  local hunks, files = state.count(id)
  if (announced[id] or 0) ~= hunks then
    announced[id] = hunks > 0 and hunks or nil
    require("copydesk.progress").reviewed(id, hunks, files)
    local view = session.view(id)
    if hunks == 0 and view and view ~= session.current() and not view.running then
      -- It was looked at for its hunks alone.
      session.leave(view)
    end
  end
end

---@param id string
---@return table<string, true>
local function uris_of(id)
  local uris = {}
  for _, one in ipairs(state.all()) do
    if one.session == id then
      uris[one.uri] = true
    end
  end
  return uris
end

--- Says once that a review is so long that the desk tells its first hunks alone, and the others as room is made for them.
---@param told copydesk.ReviewInfo
local function tell_long(told)
  if told.total <= #told.hunks or too_long[told.uri] then
    return
  end
  too_long[told.uri] = true
  local what = "%s has %d undecided hunks, of which %d are shown; `:Copydesk accept-file` and `reject-file` decide all"
  require("copydesk.message").info(what:format(told.path, told.total, #told.hunks))
end

--- A list has come, or will not.
---@param id string
local function listed(id)
  local waiting = listing[id].waiting
  listing[id] = nil
  for _, done in ipairs(waiting) do
    done()
  end
end

--- Looks at what is undecided in a session, or in one document of it.
---@param id string
---@param uri? string
function M.list(id, uri)
  if listing[id] then
    listing[id].is_again = true
    return
  end
  listing[id] = { rounds = 0, waiting = {} }
  local function ask(about)
    local params = { session = id, uri = about }
    require("copydesk.client").request(methods.reviewList, params, function(_, result)
      local this = listing[id]
      if not result or not session.view(id) then
        return listed(id)
      end
      local uris = about and { [about] = true } or uris_of(id)
      state.replace(id, result.reviews, about)
      for _, told in ipairs(result.reviews) do
        uris[told.uri] = true
        tell_long(told)
      end
      changed(uris, id)
      -- What was told meanwhile may be newer than the list, or older.
      if this.is_again and this.rounds < TRIES then
        this.is_again, this.rounds = nil, this.rounds + 1
        return ask()
      end
      listed(id)
    end)
  end
  ask(uri)
end

--- Waits until the desk has heard what was typed in a buffer and has told what that makes of its hunks, so that a decision is
--- about them as they are. To be called in a coroutine.
---@param bufnr integer
function M.settle(bufnr)
  if not require("copydesk.review.watch").is_typing(bufnr) then
    return
  end
  for _, one in ipairs(M.of_buffer(bufnr)) do
    require("copydesk.await").await(function(done)
      M.list(one.session, one.uri)
      local this = listing[one.session]
      if this then
        table.insert(this.waiting, done)
      else
        done()
      end
    end)
  end
end

--- The desk told what has changed.
---@param id string
---@param change copydesk.ReviewChange
function M.told(id, change)
  local uri = change.review.uri
  if listing[id] then
    listing[id].is_again = true
  end
  state.change(id, change)
  tries[uri] = nil
  changed({ [uri] = true }, id)
  if change.failed then
    require("copydesk.inline").ended(change.review.review, change.failed)
  end
end

session.listen(function(view, what, change)
  if what == "review" then
    M.told(view.id, change)
  elseif what == "loaded" then
    M.list(view.id)
  elseif what == "gone" then
    local uris = uris_of(view.id)
    state.drop(view.id)
    if next(uris) then
      changed(uris, view.id)
    end
  end
end)

require("copydesk.review.watch").start()

return M
