--- `redo`: takes back the last undo of the session.

return {
  summary = "redo: take back the last undo",
  run = function()
    local view = require("copydesk.session").current()
    if not view then
      return require("copydesk.message").info("there is no session, and so nothing to redo; `:Copydesk sessions` opens one")
    end
    require("copydesk.takeback").redo(view)
  end,
}
