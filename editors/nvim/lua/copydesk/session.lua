--- Sessions as this editor knows them: their parts in order, kept up to date by the daemon's events.
---
--- Contract: a view is the result of `session/load` plus every later event, each once (`seq`). Events that arrive during a load are kept
--- and applied after it; after a gap the session is loaded again. Listeners are called after a view has changed; they read it and never
--- change it.

local client = require("copydesk.client")
local methods = require("copydesk.protocol").methods

local M = {}

---@class copydesk.View
---@field id string
---@field session copydesk.SessionInfo
---@field parts copydesk.PartInfo[] In order.
---@field at table<string, integer> The index of each part in `parts`.
---@field earlier boolean Whether the daemon has parts before these.
---@field running? integer The running turn.
---@field starting? boolean A prompt was sent, and its turn has not been reported yet.
---@field ended? copydesk.TurnEndInfo How the last turn ended, if it did since the daemon hosts the session.
---@field sent { id: string, text: string }[] Prompts of this editor that are queued for the model.
---@field feedback copydesk.FeedbackInfo[] Decisions and comments that the model has not read yet.
---@field jobs copydesk.JobInfo[] Commands that run in the background.
---@field warnings? table<string, true> The warnings that were shown.
---@field trust? copydesk.TrustInfo Whether the user trusts its folder.
---@field seq integer The last event applied.
---@field kept? copydesk.EventParams[] Events that arrived during a load.
---@field loads? integer How many loads were started.
---@field is_paging? boolean Whether earlier parts are being loaded.

---@alias copydesk.ViewChange
---| "loaded" # Everything may have changed.
---| "earlier" # Parts were added before the first; the subject is their number.
---| "part" # A part is new or has changed.
---| "delta" # A part has grown: the subject is the part, the detail the added text.
---| "void" # A part was removed.
---| "session" # Title, agent or model changed.
---| "turn" # A turn started or ended, or the queued prompts changed.
---| "jobs" # A background command started or ended; the subject is those that ended.
---| "warning" # A warning about the session's setup; the subject is the message.
---| "review" # Its undecided hunks changed; the subject is the event.
---| "gone" # The session was deleted or detached.

---@type table<string, copydesk.View>
local views = {}
---@type string?
local current
---@type fun(view: copydesk.View, what: copydesk.ViewChange, subject: any, detail: any)[]
local listeners = {}

--- Registers a listener for every change of a view.
---@param listener fun(view: copydesk.View, what: copydesk.ViewChange, subject: any, detail: any)
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

---@param view copydesk.View
---@param what copydesk.ViewChange
local function notify_listeners(view, what, subject, detail)
  for _, listener in ipairs(listeners) do
    listener(view, what, subject, detail)
  end
end

---@param id? string
---@return copydesk.View?
function M.view(id)
  return id and views[id]
end

--- The current session: the one that prompts go to.
---@return copydesk.View?
function M.current()
  return M.view(current)
end

--- A session's title, or a name for one without.
---@param session copydesk.SessionInfo
---@return string
function M.name(session)
  return session.title and session.title ~= "" and (session.title:gsub("%c+", " ")) or "New session"
end

--- All attached sessions.
---@return table<string, copydesk.View>
function M.all()
  return views
end

---@param view copydesk.View
local function index_parts(view)
  view.at = {}
  for at, part in ipairs(view.parts) do
    view.at[part.id] = at
  end
end

--- Shows a warning once: a load brings the earlier ones again.
---@param view copydesk.View
---@param message string
local function warn(view, message)
  view.warnings = view.warnings or {}
  if not view.warnings[message] then
    view.warnings[message] = true
    notify_listeners(view, "warning", message)
  end
end

--- How each event changes a view.
---@type table<string, fun(view: copydesk.View, event: table)>
local apply = {
  session = function(view, event)
    view.session = event.session
    notify_listeners(view, "session")
  end,
  turnStarted = function(view, event)
    view.running, view.starting, view.ended = event.turn, nil, nil
    notify_listeners(view, "turn")
  end,
  turnEnded = function(view, event)
    view.running, view.starting, view.ended = nil, nil, event["end"]
    notify_listeners(view, "turn")
  end,
  part = function(view, event)
    local part = event.part
    local at = view.at[part.id]
    local first = view.parts[1]
    if not at and view.earlier and first and part.created < first.created then
      -- It belongs to the parts that are not loaded.
      return
    end
    if not at then
      at = #view.parts + 1
      view.at[part.id] = at
    end
    view.parts[at] = part
    notify_listeners(view, "part", part)
    for sent_at, prompt in ipairs(view.sent) do
      if prompt.id == part.id then
        table.remove(view.sent, sent_at)
        notify_listeners(view, "turn")
        break
      end
    end
  end,
  delta = function(view, event)
    local part = view.parts[view.at[event.part]]
    if not part then
      return
    end
    local field = part.content.kind == "call" and "arguments" or "text"
    part.content[field] = (part.content[field] or "") .. event.text
    notify_listeners(view, "delta", part, event.text)
  end,
  progress = function(view, event)
    local part = view.parts[view.at[event.part]]
    if part then
      part.content.progress = event.metadata
      notify_listeners(view, "part", part)
    end
  end,
  void = function(view, event)
    local at = view.at[event.part]
    if at then
      local part = table.remove(view.parts, at)
      index_parts(view)
      notify_listeners(view, "void", part)
    end
  end,
  jobs = function(view, event)
    view.jobs = event.running
    notify_listeners(view, "jobs", event.ended)
  end,
  warning = function(view, event)
    warn(view, event.message)
  end,
  feedback = function(view, event)
    view.feedback = event.items
    notify_listeners(view, "turn")
  end,
  reviewChanged = function(view, event)
    notify_listeners(view, "review", event)
  end,
  deleted = function(view)
    views[view.id] = nil
    if current == view.id then
      current = nil
    end
    notify_listeners(view, "gone")
  end,
}

---@param view copydesk.View
---@param params copydesk.EventParams
local function apply_event(view, params)
  if params.seq <= view.seq then
    return
  end
  if params.seq > view.seq + 1 then
    return M.load(view.id)
  end
  view.seq = params.seq
  local change = apply[params.event.event]
  if change then
    change(view, params.event)
  end
end

--- Handles an event of the daemon.
---@param params copydesk.EventParams
function M.handle_event(params)
  local view = views[params.session]
  if not view then
    return
  end
  if view.kept then
    view.kept[#view.kept + 1] = params
  else
    apply_event(view, params)
  end
end

--- Replaces a view by the result of a load.
---@param view copydesk.View
---@param result copydesk.SessionLoadResult
local function replace_view(view, result)
  local before, last = view.parts[#view.parts], result.parts[#result.parts]
  if result.running or (before and before.id) ~= (last and last.id) then
    view.ended = nil
  end
  view.ended = result.lastTurn and result.lastTurn["end"] or view.ended
  view.session, view.parts, view.earlier = result.session, result.parts, result.earlier
  view.starting = nil
  view.running, view.seq, view.jobs = result.running, result.seq, result.jobs or {}
  view.feedback, view.trust = result.feedback or {}, result.trust
  index_parts(view)
  for _, message in ipairs(result.warnings or {}) do
    warn(view, message)
  end
  -- Without a running turn nothing is queued, nor is a prompt that the model has read.
  view.sent = vim.tbl_filter(function(prompt)
    return view.running ~= nil and not view.at[prompt.id]
  end, view.sent)
end

--- Attaches to a session, or reloads it.
---@param id string
---@param done? fun(problem?: string, view?: copydesk.View)
function M.load(id, done)
  done = done or function() end
  local view = views[id]
  if not view then
    view = { id = id, parts = {}, at = {}, sent = {}, jobs = {}, feedback = {}, earlier = false, seq = -1, session = { id = id } }
    views[id] = view
  end
  view.kept = view.kept or {}
  view.loads = (view.loads or 0) + 1
  local this = view.loads
  local limit = math.max(#view.parts, require("copydesk.config").get().chat.page)
  client.request(methods.sessionLoad, { session = id, limit = limit }, function(problem, result, code)
    if views[id] ~= view or (not result and view.loads ~= this) then
      -- It was detached, or another load is under way.
      return done(problem or "the session was left")
    end
    local kept = view.kept or {}
    view.kept = nil
    if not result then
      -- Without an error about the session itself, the view stays; the next event reveals the gap.
      if code or view.seq < 0 then
        views[id] = nil
        notify_listeners(view, "gone")
      end
      return done(problem)
    end
    replace_view(view, result)
    notify_listeners(view, "loaded")
    for _, params in ipairs(kept) do
      M.handle_event(params)
    end
    done(nil, view)
  end)
end

--- Loads the page before the first known part.
---@param view copydesk.View
---@param done? fun(problem?: string)
function M.load_earlier(view, done)
  done = done or function() end
  local first = view.parts[1]
  if not view.earlier or not first or view.is_paging then
    return done()
  end
  view.is_paging = true
  local params = { session = view.id, before = first.id, limit = require("copydesk.config").get().chat.page }
  client.request(methods.sessionParts, params, function(problem, result)
    view.is_paging = nil
    if not result or view.parts[1] ~= first then
      return done(problem)
    end
    view.earlier = result.earlier
    view.parts = vim.list_extend(vim.list_slice(result.parts), view.parts)
    index_parts(view)
    notify_listeners(view, "earlier", #result.parts)
    done()
  end)
end

--- Reloads every attached session, after the daemon or the connection restarted.
function M.reload()
  for id in pairs(views) do
    M.load(id)
  end
end

---@type (fun(problem?: string, view?: copydesk.View))[]? The callers that wait for a session being created.
local making

--- Creates a session in Neovim's working folder, and makes it the current one.
---@param done fun(problem?: string, view?: copydesk.View)
function M.new(done)
  if making then
    making[#making + 1] = done
    return
  end
  making = { done }
  local function finish(problem, view)
    local waited = making or {}
    making = nil
    for _, waiting in ipairs(waited) do
      waiting(problem, view)
    end
  end
  client.request(methods.sessionNew, { folder = vim.fn.getcwd() }, function(problem, result)
    if not result then
      return finish(problem)
    end
    M.open(result.session.id, finish)
  end)
end

--- Makes a session the current one.
---@param id string
---@param done? fun(problem?: string, view?: copydesk.View)
function M.open(id, done)
  done = done or function() end
  M.load(id, function(problem, view)
    if view then
      local before = M.current()
      current = id
      -- A session with undecided hunks stays attached until they are decided.
      local is_needed = before and (before.running or require("copydesk.review").count(before.id) > 0)
      if before and before.id ~= id and not is_needed then
        M.leave(before)
      end
      notify_listeners(view, "session")
    end
    done(problem, view)
  end)
end

--- Records a prompt that the daemon has queued, for the running turn or after it.
---@param view copydesk.View
---@param id string The id that its part will get.
---@param text string
function M.add_queued(view, id, text)
  if not view.at[id] then
    view.sent[#view.sent + 1] = { id = id, text = text }
    notify_listeners(view, "turn")
  end
end

--- Detaches from a session. Its turn continues.
---@param view copydesk.View
function M.leave(view)
  views[view.id] = nil
  if current == view.id then
    current = nil
  end
  client.request(methods.sessionLeave, { session = view.id }, function() end)
  notify_listeners(view, "gone")
end

--- The current session, created if needed.
---@param done fun(problem?: string, view?: copydesk.View)
function M.ensure(done)
  local view = M.current()
  if view and not making then
    return done(nil, view)
  end
  M.new(done)
end

return M
