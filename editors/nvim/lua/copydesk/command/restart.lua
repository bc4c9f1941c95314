--- `restart`: reconnects. With `!` the daemon first ends once no turn runs, so that the installed binary is used. With a name
--- the daemon restarts one of its language servers.
---
--- The binary ends the daemon, not the plugin: it can talk to a daemon with another protocol version.

local message = require("copydesk.message")

--- Restarts one of the daemon's language servers.
---@param name string
local function restart_server(name)
  local method = require("copydesk.protocol").methods.serversRestart
  local problem, result = require("copydesk.client").await_request(method, { name = name })
  if problem then
    message.error(("cannot restart %s: %s"):format(name, problem))
  elseif result.servers == 0 then
    message.warn(("the daemon has no language server `%s`"):format(name))
  else
    message.info(("restarted %s"):format(name))
  end
end

return {
  summary = "restart [server]: reconnect; with !, restart the daemon; with a name, restart that language server",
  run = function(arguments, context)
    if arguments[1] then
      return restart_server(arguments[1])
    end
    if context.bang then
      local output, problem = require("copydesk.program").output({ "stop" })
      if output then
        message.info((output:match("^[^\n]*")))
      else
        message.warn(("cannot stop the daemon: %s"):format(problem))
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
