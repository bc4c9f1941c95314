--- The agent's undecided edits: kept up to date, drawn in their buffers, announced to listeners.
---
--- Contract: the state is the daemon's last list plus its events since. The plugin requests a list when a session is loaded, when
--- the daemon says so, and when announced lines are not in the text; never twice at once, and never endlessly. Nothing here takes the
--- focus or moves a cursor.

local draw = require("copydesk.review.draw")
local methods = require("copydesk.protocol").methods
local session = require("copydesk.session")
local state = require("copydesk.review.state")
local limits = require("copydesk.time_limits")

local M = {}

--- How often missing lines are looked up again.
local TRIES = 3

---@type fun()[]
local listeners = {}
---@type table<string, integer> The announced number of hunks, by session.
local announced = {}
---@type table<string, { is_again?: boolean, rounds: integer, waiting: fun()[] }> Sessions whose list is being requested.
local listing = {}
---@type table<string, integer> How often a document was listed in vain.
local tries = {}
---@type table<string, true> Documents about to be listed again.
local due = {}
---@type table<string, true> Reviews reported as too long.
local too_long = {}

--- Registers a listener for changes.
---@param listener fun()
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

--- How many hunks are undecided, in one session or in all attached ones.
---@param id? string
---@return integer hunks
---@return integer files
function M.count(id)
  return state.count(id)
end

--- The reviews of a buffer's document.
---@param bufnr integer
---@return copydesk.ReviewState[]
function M.of_buffer(bufnr)
  local buffer, all = require("copydesk.buffer"), state.all()
  local found = #all > 0 and state.all(buffer.uri(bufnr)) or all
  if #found > 0 or #all == 0 then
    return found
  end
  -- Several names may lead to one file.
  local name = vim.uv.fs_realpath(vim.api.nvim_buf_get_name(bufnr))
  return vim.tbl_filter(function(one)
    local is_file, other = pcall(vim.uri_to_fname, one.uri)
    return name ~= nil and is_file and vim.uv.fs_realpath(other) == name and buffer.of(one.uri) == bufnr
  end, all)
end

--- Lists a document again after a while, unless that was in vain too often.
---@param uri string
---@param bufnr integer
local function list_again_later(uri, bufnr)
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
  end, limits.lookup_retry)
end

--- Draws the hunks of a buffer.
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
    list_again_later(reviews[1].uri, bufnr)
  else
    for _, one in ipairs(reviews) do
      tries[one.uri] = nil
    end
  end
  if has_changed then
    require("copydesk.review.rows_above").show(bufnr)
    require("copydesk.review.watch").buffer(bufnr, draw.has(bufnr))
  end
end

--- Draws and announces a change.
---@param uris table<string, true>
---@param id string
local function draw_and_announce(uris, id)
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
      -- It was attached only for its hunks.
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

--- Reports once that a review is so long that the daemon sends only its first hunks, and the others later.
---@param info copydesk.ReviewInfo
local function report_long(info)
  if info.total <= #info.hunks or too_long[info.uri] then
    return
  end
  too_long[info.uri] = true
  local what = "%s has %d undecided hunks, %d of them shown; `:Copydesk accept-file` and `reject-file` decide all"
  require("copydesk.message").info(what:format(info.path, info.total, #info.hunks))
end

--- Ends a listing, successful or not.
---@param id string
local function finish_listing(id)
  local waiting = listing[id].waiting
  listing[id] = nil
  for _, done in ipairs(waiting) do
    done()
  end
end

--- Requests the undecided hunks of a session, or of one of its documents.
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
        return finish_listing(id)
      end
      local uris = about and { [about] = true } or uris_of(id)
      state.replace(id, result.reviews, about)
      for _, info in ipairs(result.reviews) do
        uris[info.uri] = true
        report_long(info)
      end
      draw_and_announce(uris, id)
      -- Events meanwhile may be newer than the list, or older.
      if this.is_again and this.rounds < TRIES then
        this.is_again, this.rounds = nil, this.rounds + 1
        return ask()
      end
      finish_listing(id)
    end)
  end
  ask(uri)
end

--- Waits until the daemon has the typed text of a buffer and has sent the hunks for it, so that a decision is about their current
--- state. Call it in a coroutine.
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

--- Handles a change of a review.
---@param id string
---@param change copydesk.ReviewChange
function M.handle_change(id, change)
  local uri = change.review.uri
  if listing[id] then
    listing[id].is_again = true
  end
  state.change(id, change)
  tries[uri] = nil
  draw_and_announce({ [uri] = true }, id)
  if change.failed then
    require("copydesk.inline").ended(change.review.review, change.failed)
  end
end

session.listen(function(view, what, change)
  if what == "review" then
    M.handle_change(view.id, change)
  elseif what == "loaded" then
    M.list(view.id)
  elseif what == "gone" then
    local uris = uris_of(view.id)
    state.drop(view.id)
    if next(uris) then
      draw_and_announce(uris, view.id)
    end
  end
end)

require("copydesk.review.watch").start()

return M
