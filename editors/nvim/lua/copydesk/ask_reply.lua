--- Replies to an open ask: the one that the user sees, or the one that the user picks.
---
--- Contract: called in a coroutine. No ask is answered that the user was not shown: with several the user picks one by its title, and a
--- key in the conversation first scrolls to an ask that is off the screen. A reply that does not fit the ask is reported, and the
--- ask stays open.

local ask = require("copydesk.ask")
local message = require("copydesk.message")

local M = {}

--- Sends a reply to one ask.
---@param item copydesk.OpenAsk
---@param reply copydesk.PermissionReply
function M.reply_to(item, reply)
  if item.kind == "question" then
    if reply.reply == "reject" then
      return item.reply({ reply = "rejected", reason = reply.reason })
    end
    return require("copydesk.question").answer(item)
  end
  if reply.reply ~= "always" then
    return item.reply(reply)
  elseif #item.ask.always == 0 then
    return message.warn("this can only be allowed once; use `:Copydesk allow`")
  elseif reply.scope == "project" and not item.ask.projectAlways then
    return message.warn("this cannot be allowed for the whole project; use `:Copydesk always`")
  end
  local patterns = table.concat(reply.patterns or item.ask.always, ", ")
  local place = reply.scope == "project" and " in this project" or ""
  ask.send(item, reply, ("allowed from now on%s: %s %s"):format(place, item.ask.key, patterns))
end

--- Lets the user edit what "always" would allow, and choose where it counts.
---@param item copydesk.OpenAsk
local function edit(item)
  if item.kind == "question" or #item.ask.always == 0 then
    return M.reply_to(item, { reply = "always" })
  end
  local patterns = require("copydesk.pattern_editor").edit(ask.patterns(item))
  if not patterns then
    return
  end
  local scopes = item.ask.projectAlways and { "session", "project" } or { "session" }
  local scope = #scopes == 1 and scopes[1]
    or require("copydesk.pick").select(scopes, {
      prompt = "Always allow this",
      kind = "scope",
      label = function(scope)
        return scope == "project" and "in every session of this project" or "in this session"
      end,
    })
  -- It may be settled by now.
  if scope and vim.list_contains(ask.list(), item) then
    M.reply_to(item, { reply = "always", scope = scope, patterns = patterns })
  end
end

--- One of several asks, picked by the user; the only one at once.
---@param items copydesk.OpenAsk[]
---@return copydesk.OpenAsk?
local function choose(items)
  if #items < 2 then
    return items[1]
  end
  local item = require("copydesk.pick").select(items, {
    prompt = "Which one?",
    kind = "ask",
    label = function(item)
      local name = ask.foreign_session(item)
      return ask.title(item) .. (name and (" (%s)"):format(name) or "")
    end,
  })
  -- It may be settled by now.
  return item and vim.list_contains(ask.list(), item) and item or nil
end

--- Does something with an ask from anywhere: with that of the current session, else with that of another.
---@param run fun(item: copydesk.OpenAsk)
local function with_chosen(run)
  local items = ask.candidates()
  if #items == 0 then
    return message.info("nothing is waiting for an answer")
  end
  local item = choose(items)
  if item then
    run(item)
  end
end

--- Replies from anywhere.
---@param reply copydesk.PermissionReply
function M.reply(reply)
  with_chosen(function(item)
    M.reply_to(item, reply)
  end)
end

--- Edits from anywhere what "always" would allow.
function M.edit()
  with_chosen(edit)
end

--- The ask that a key in a window of the conversation is for: in the float the one it shows, in the transcript the one under the
--- cursor, else one on the screen.
---@return copydesk.OpenAsk?
local function ask_here()
  local window, float = vim.api.nvim_get_current_win(), require("copydesk.chat.float")
  if window == float.window() then
    return float.item()
  end
  local visible = require("copydesk.chat.visible_asks")
  local items = ask.list(require("copydesk.chat.transcript").shown() or "")
  local under = visible.at(vim.api.nvim_win_get_cursor(window)[1] - 1)
  if under then
    return under
  elseif #items == 0 then
    message.info("nothing is waiting for an answer")
  elseif visible.are_below(window) then
    require("copydesk.chat").to_end()
    message.info("this waits for your answer; press the key again")
  else
    return choose(items)
  end
end

--- Replies by a key in a window of the conversation.
---@param reply copydesk.PermissionReply|fun(): copydesk.PermissionReply?
function M.reply_here(reply)
  local item = ask_here()
  local given = reply
  if item and type(reply) == "function" then
    given = reply()
  end
  if item and given and vim.list_contains(ask.list(), item) then
    M.reply_to(item, given)
  end
end

--- Edits what "always" would allow, by a key in a window of the conversation.
function M.edit_here()
  local item = ask_here()
  if item then
    edit(item)
  end
end

return M
