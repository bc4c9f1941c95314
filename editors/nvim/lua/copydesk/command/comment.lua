--- `comment [words]`: comments on the hunk under the cursor, or on lines, without deciding it.

return {
  summary = "comment [words]: comment on the hunk, or on the lines in the range",
  run = function(_, context)
    local text = context.text ~= "" and context.text or nil
    require("copydesk.review.at_cursor").comment(text, context.range, context.window)
  end,
}
