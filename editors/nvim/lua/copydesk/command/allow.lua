--- `allow`: the oldest ask is allowed once; a question is answered.

return {
  summary = "allow: allow what is asked for, once; answer a question",
  run = function()
    require("copydesk.reply").give({ reply = "once" })
  end,
}
