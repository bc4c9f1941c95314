--- `reject-file`: rejects every undecided hunk in the file.

return {
  summary = "reject-file: reject everything in this file",
  run = function(_, context)
    require("copydesk.review.at_cursor").decide_file("reject", context.window)
  end,
}
