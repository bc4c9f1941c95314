--- Replying to what waits the longest, from wherever the person is.
---
--- Contract: what cannot be replied that way is told, and goes on waiting.

local message = require("copydesk.message")

local M = {}

---@param reply copydesk.PermissionReply
function M.give(reply)
  local item = require("copydesk.ask").first()
  if not item then
    return message.info("nothing waits for an answer")
  end
  if item.kind == "question" then
    if reply.reply == "reject" then
      return item.reply({ reply = "rejected", reason = reply.reason })
    end
    return require("copydesk.question").answer(item)
  end
  if reply.reply == "always" and #item.ask.always == 0 then
    return message.warn("this cannot be allowed for good; `:Copydesk allow` allows it once")
  end
  item.reply(reply)
  if reply.reply == "always" then
    message.info(("allowed from now on: %s %s"):format(item.ask.key, table.concat(item.ask.always, ", ")))
  end
end

return M
