--- `always`: allows the patterns of the open ask for the rest of the session.

return {
  summary = "always: allow it from now on, for the patterns shown",
  run = function()
    require("copydesk.ask_reply").reply({ reply = "always" })
  end,
}
