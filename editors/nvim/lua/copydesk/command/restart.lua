--- `restart`: connects anew. With `!` the desk itself ends when no turn runs, so that the next one is the program as it is now. With
--- a name, a language server that the desk runs is started anew.
---
--- The program ends the desk, and not we: it can talk to one that speaks another protocol.

local message = require("copydesk.message")

--- A language server of the desk's own.
---@param name string
local function restart_server(name)
  local method = require("copydesk.protocol").methods.serversRestart
  local problem, result = require("copydesk.client").ask(method, { name = name })
  if problem then
    message.error(("%s was not started anew: %s"):format(name, problem))
  elseif result.servers == 0 then
    message.warn(("the desk runs no language server that is called %s"):format(name))
  else
    message.info(("%s is started anew"):format(name))
  end
end

return {
  summary = "restart [server]: connect anew; with !, with a new desk; or start a language server of the desk anew",
  run = function(arguments, context)
    if arguments[1] then
      return restart_server(arguments[1])
    end
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
