--- `restart`: connects anew. With `!` the desk itself ends when no turn runs, so that the next one is the program as it is now.
---
--- The program ends it, and not we: it can talk to a desk that speaks another protocol.

local message = require("copydesk.message")

return {
  summary = "restart: connect anew; with !, with a new desk",
  run = function(_, context)
    if context.bang then
      local said, problem = require("copydesk.program").output({ "stop" })
      if said then
        message.info((said:match("^[^\n]*")))
      else
        message.warn(("the desk does not end: %s"):format(problem))
      end
    end
    local problem = require("copydesk.await").await(require("copydesk.client").restart)
    if problem then
      message.error(problem)
    else
      message.info("connected")
    end
  end,
}
