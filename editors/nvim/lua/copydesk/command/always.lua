--- `always`: allows the patterns of the oldest ask for the rest of the session.

return {
  summary = "always: allow it from now on, for the patterns shown",
  run = function()
    require("copydesk.ask_reply").reply_to_oldest({ reply = "always" })
  end,
}
