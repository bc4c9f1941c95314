--- `allow`: allows the oldest ask once, or answers the oldest question.

return {
  summary = "allow: allow the call once; answer a question",
  run = function()
    require("copydesk.ask_reply").reply_to_oldest({ reply = "once" })
  end,
}
