--- `allow`: allows the open ask once, or answers the open question. With several the user picks one.

return {
  summary = "allow: allow the call once; answer a question",
  run = function()
    require("copydesk.ask_reply").reply({ reply = "once" })
  end,
}
