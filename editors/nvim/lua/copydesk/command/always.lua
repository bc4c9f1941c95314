--- `always`: allows the patterns of the oldest ask for the rest of the session.

return {
  summary = "always: allow it from now on, for the patterns shown",
  run = function()
    require("copydesk.reply").give({ reply = "always" })
  end,
}
