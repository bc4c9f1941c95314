--- Replies to the oldest open ask, from anywhere.
---
--- Contract: a reply that does not fit the ask is reported, and the ask stays open.

local message = require("copydesk.message")

local M = {}

--- Replies to the oldest open ask.
---@param reply copydesk.PermissionReply
function M.reply_to_oldest(reply)
  local item = require("copydesk.ask").first()
  if not item then
    return message.info("nothing is waiting for an answer")
  end
  if item.kind == "question" then
    if reply.reply == "reject" then
      return item.reply({ reply = "rejected", reason = reply.reason })
    end
    return require("copydesk.question").answer(item)
  end
  if reply.reply == "always" and #item.ask.always == 0 then
    return message.warn("this can only be allowed once; use `:Copydesk allow`")
  end
  item.reply(reply)
  if reply.reply == "always" then
    message.info(("allowed from now on: %s %s"):format(item.ask.key, table.concat(item.ask.always, ", ")))
  end
end

return M
