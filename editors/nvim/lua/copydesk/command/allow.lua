--- `allow`: allows the oldest ask once, or answers the oldest question.

return {
  summary = "allow: allow the call once; answer a question",
  run = function()
    require("copydesk.reply").give({ reply = "once" })
  end,
}
