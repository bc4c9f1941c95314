--- `stop`: cancels the running turn.

local message = require("copydesk.message")

return {
  summary = "stop: end the running turn",
  run = function()
    local view = require("copydesk.session").current()
    if not view or not (view.running or view.starting) then
      return message.info("no turn is running")
    end
    local method = require("copydesk.protocol").methods.turnCancel
    local problem = require("copydesk.client").await_request(method, { session = view.id })
    if problem then
      message.error(("the turn was not stopped: %s"):format(problem))
    end
  end,
}
