--- `reject [reason]`: no. With a reason the agent is told and goes on; without one the turn stops.

return {
  summary = "reject [reason]: reject it; with a reason the turn goes on",
  run = function(_, context)
    require("copydesk.reply").give({ reply = "reject", reason = context.text ~= "" and context.text or nil })
  end,
}
