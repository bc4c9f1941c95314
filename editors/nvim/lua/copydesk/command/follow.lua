--- `follow`: turns following the agent's edits on or off.

return {
  summary = "follow: follow the agent's edits, or stop",
  run = function()
    local config = require("copydesk.config").get()
    config.follow = not config.follow
    local shown, hidden = "following the agent's edits", "no longer following the agent's edits"
    require("copydesk.message").info(config.follow and shown or hidden)
  end,
}
