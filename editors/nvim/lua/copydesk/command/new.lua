--- `new`: prompts go to a new session from now on.

return {
  summary = "new: begin a new session",
  run = function()
    local problem = require("copydesk.await").await(require("copydesk.session").new)
    if problem then
      return require("copydesk.message").error(("no session was made: %s"):format(problem))
    end
    require("copydesk.chat").open()
  end,
}
