--- `new`: creates a session and makes it the current one.

return {
  summary = "new: begin a new session",
  run = function()
    local problem = require("copydesk.await").await(require("copydesk.session").new)
    if problem then
      return require("copydesk.message").error(("cannot create a session: %s"):format(problem))
    end
    require("copydesk.chat").write()
  end,
}
