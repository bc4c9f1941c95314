--- `redo`: redoes the session's last undo.

return {
  summary = "redo: redo the last undo",
  run = function()
    local view = require("copydesk.session").current()
    if not view then
      return require("copydesk.message").info("no session is open, so there is nothing to redo; `:Copydesk sessions` opens one")
    end
    require("copydesk.undo").redo(view)
  end,
}
