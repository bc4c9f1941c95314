--- `chat`: shows or hides the conversation.

return {
  summary = "chat: show or hide the conversation",
  run = function()
    require("copydesk.chat").toggle()
  end,
}
