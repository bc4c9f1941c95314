--- `chat`: shows the conversation, or hides it.

return {
  summary = "chat: show or hide the conversation",
  run = function()
    require("copydesk.chat").toggle()
  end,
}
