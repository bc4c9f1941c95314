--- `always`: what the oldest ask names is allowed from now on, for as long as the session remembers.

return {
  summary = "always: allow it from now on, as far as the ask says",
  run = function()
    require("copydesk.reply").give({ reply = "always" })
  end,
}
