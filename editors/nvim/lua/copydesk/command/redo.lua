--- `redo`: takes back the last undo of the session.

local undone = require("copydesk.undone")

return {
  summary = "redo: take back the last undo",
  run = function()
    local message = require("copydesk.message")
    local view = require("copydesk.session").current()
    if not view then
      return message.info("there is no session, and so nothing to redo; `:Copydesk sessions` opens one")
    end
    local method = require("copydesk.protocol").methods.redo
    local problem, result, code = require("copydesk.client").ask(method, { session = view.id })
    if not result then
      undone.refused(problem, code)
    elseif #result.files == 0 then
      message.info("there is nothing to redo")
    else
      undone.tell(result.files, "redone")
    end
  end,
}
