--- `accept`: accepts the hunk under the cursor, or the changed lines in the range.

return {
  summary = "accept: accept the hunk under the cursor, or the lines in the range",
  run = function(_, context)
    require("copydesk.review.at_cursor").decide("accept", context.range, nil, context.window)
  end,
}
