--- Asks and questions that wait for the person: which there are, and the way back to the desk.
---
--- Contract: each is shown once, however often it is sent; the newest request is what is answered. One that was settled
--- elsewhere is taken away and answered `cancelled`. Nothing here takes the focus.

local await = require("copydesk.await")

local M = {}

---@class copydesk.Open
---@field id string
---@field kind "permission"|"question"
---@field session string
---@field ask? copydesk.PermissionAskParams
---@field question? copydesk.QuestionAskParams
---@field reply fun(answer: table) Answers the desk.

---@type copydesk.Open[] The oldest first.
local open = {}
---@type fun()[]
local listeners = {}

--- Hears when the list has changed.
---@param listener fun()
function M.listen(listener)
  listeners[#listeners + 1] = listener
end

--- Tells everybody that what waits looks different.
function M.changed()
  for _, listener in ipairs(listeners) do
    listener()
  end
end

---@param id string
---@return integer?
local function place(id)
  for at, item in ipairs(open) do
    if item.id == id then
      return at
    end
  end
end

--- What waits, the oldest first; of one session, or of all.
---@param session? string
---@return copydesk.Open[]
function M.list(session)
  return vim.tbl_filter(function(item)
    return not session or item.session == session
  end, open)
end

--- The one that a reply without a name is for: the oldest of the session that is looked at, else the oldest.
---@return copydesk.Open?
function M.first()
  local view = require("copydesk.session").current()
  return view and M.list(view.id)[1] or open[1]
end

---@param item copydesk.Open
---@return table answer
local function wait_for(item)
  return await.await(function(done)
    item.reply = function(answer)
      local at = place(item.id)
      if at and open[at] == item then
        table.remove(open, at)
      end
      done(answer)
      M.changed()
    end
    local at = place(item.id)
    if at then
      -- The desk sent it again, after we attached again: this request is the one it waits for.
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

--- Waits for the person's word about a call.
---@param params copydesk.PermissionAskParams
---@return copydesk.PermissionReply
function M.permission(params)
  return wait_for({ id = params.ask, kind = "permission", session = params.session, ask = params })
end

--- Waits for the person's answers.
---@param params copydesk.QuestionAskParams
---@return copydesk.QuestionReply
function M.question(params)
  return wait_for({ id = params.question, kind = "question", session = params.session, question = params })
end

--- It needs no reply any more.
---@param session string
---@param id string
---@param by? string Who replied.
function M.settled(session, id, by)
  local at = place(id)
  local item = at and open[at]
  if item and item.session == session then
    item.reply({ reply = "cancelled" })
    if by then
      require("copydesk.message").info(("answered in %s"):format(by))
    end
  end
end

--- The connection is gone, and with it whoever waited. What is still open will be sent again.
function M.clear()
  local gone = open
  open = {}
  for _, item in ipairs(gone) do
    item.reply({ reply = "cancelled" })
  end
end

return M
