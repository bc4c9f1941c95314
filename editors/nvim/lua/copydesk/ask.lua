--- The open asks and questions, and how replies to them get back to the daemon.
---
--- Contract: each is shown once, however often the daemon sends it; the reply goes to the newest request. One that was
--- settled elsewhere is removed and answered `cancelled`. Nothing here takes the focus.

local await = require("copydesk.await")

local M = {}

---@class copydesk.OpenAsk
---@field id string
---@field kind "permission"|"question"
---@field session string
---@field ask? copydesk.PermissionAskParams
---@field question? copydesk.QuestionAskParams
---@field reply fun(answer: table) Sends the response to the daemon.

---@type copydesk.OpenAsk[] The oldest first.
local open = {}
---@type fun()[]
local listeners = {}
--- What the user is told when the daemon has accepted their reply, by ask.
---@type table<string, string>
local confirmations = {}
--- The patterns that the user wrote last, by ask: the daemon may refuse them and ask again.
---@type table<string, string[]>
local drafts = {}

--- Registers a listener for changes of the list.
---@param listener fun()
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

--- Notifies the listeners.
function M.changed()
  for _, listener in ipairs(listeners) do
    listener()
  end
end

---@param id string
---@return integer?
local function index_of(id)
  for at, item in ipairs(open) do
    if item.id == id then
      return at
    end
  end
end

--- The open asks, the oldest first; of one session, or of all.
---@param session? string
---@return copydesk.OpenAsk[]
function M.list(session)
  return vim.tbl_filter(function(item)
    return not session or item.session == session
  end, open)
end

--- The asks that a reply without an id may be for: those of the current session, else all.
---@return copydesk.OpenAsk[]
function M.candidates()
  local view = require("copydesk.session").current()
  local own = view and M.list(view.id) or {}
  return #own > 0 and own or M.list()
end

--- What an ask is about, in one line.
---@param item copydesk.OpenAsk
---@return string
function M.title(item)
  local first = item.question and item.question.questions[1]
  local title = item.ask and item.ask.title or first and require("copydesk.question").signed(item.question, first) or ""
  return (title:gsub("%c+", " "))
end

--- The name of the ask's session, unless that is the current one.
---@param item copydesk.OpenAsk
---@return string?
function M.foreign_session(item)
  local session = require("copydesk.session")
  local current, view = session.current(), session.view(item.session)
  if not view or current == view then
    return nil
  end
  return require("copydesk.session").name(view.session)
end

--- Replies, and tells the user when the daemon has accepted it.
---@param item copydesk.OpenAsk
---@param reply copydesk.PermissionReply
---@param confirmation? string
function M.send(item, reply, confirmation)
  confirmations[item.id], drafts[item.id] = confirmation, reply.patterns
  item.reply(reply)
end

--- What "always" would allow: as the user wrote it last, else as the ask offers it.
---@param item copydesk.OpenAsk
---@return string[]
function M.patterns(item)
  return drafts[item.id] or item.ask.always
end

---@param item copydesk.OpenAsk
---@return table answer
local function wait_for_reply(item)
  return await.await(function(done)
    item.reply = function(answer)
      local at = index_of(item.id)
      if at and open[at] == item then
        table.remove(open, at)
      end
      done(answer)
      M.changed()
    end
    local at = index_of(item.id)
    if at then
      -- The daemon sends it again after we reattach, and waits for this request.
      local older = open[at]
      open[at] = item
      older.reply({ reply = "cancelled" })
    else
      open[#open + 1] = item
    end
    M.changed()
    require("copydesk.progress").asked(item)
  end)
end

--- Waits for the user's reply to a permission ask.
---@param params copydesk.PermissionAskParams
---@return copydesk.PermissionReply
function M.permission(params)
  if params.problem then
    confirmations[params.ask] = nil
    require("copydesk.message").error(("not accepted: %s"):format(params.problem))
  end
  return wait_for_reply({ id = params.ask, kind = "permission", session = params.session, ask = params })
end

--- Waits for the user's answers to a question.
---@param params copydesk.QuestionAskParams
---@return copydesk.QuestionReply
function M.question(params)
  return wait_for_reply({ id = params.question, kind = "question", session = params.session, question = params })
end

--- Removes an ask that was settled elsewhere.
---@param session string
---@param id string
---@param by? string Who replied.
function M.settled(session, id, by)
  local confirmation = confirmations[id]
  confirmations[id], drafts[id] = nil, nil
  if confirmation and not by then
    require("copydesk.message").info(confirmation)
  end
  local at = index_of(id)
  local item = at and open[at]
  if item and item.session == session then
    item.reply({ reply = "cancelled" })
    if by then
      require("copydesk.message").info(("answered in %s"):format(by))
    end
  end
end

--- Drops all asks of a lost connection. The daemon sends the open ones again.
function M.clear()
  local gone = open
  open, confirmations, drafts = {}, {}, {}
  for _, item in ipairs(gone) do
    item.reply({ reply = "cancelled" })
  end
end

return M
