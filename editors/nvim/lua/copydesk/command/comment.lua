--- `comment [words]`: says something to the agent about the hunk under the cursor, or lines, without deciding anything.

return {
  summary = "comment [words]: say something about the hunk, or the lines in the range",
  run = function(_, context)
    local text = context.text ~= "" and context.text or nil
    require("copydesk.review.here").comment(text, context.range, context.window)
  end,
}
