--- `follow`: shows the place where the agent is at work, or stops doing so.

return {
  summary = "follow: show where the agent is at work, or stop",
  run = function()
    local config = require("copydesk.config").get()
    config.follow = not config.follow
    local shown, hidden = "the place where the agent is at work is shown", "no place is shown any more"
    require("copydesk.message").info(config.follow and shown or hidden)
  end,
}
