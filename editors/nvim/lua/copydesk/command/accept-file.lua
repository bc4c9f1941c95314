--- `accept-file`: accepts every undecided hunk in the file.

return {
  summary = "accept-file: accept everything in this file",
  run = function(_, context)
    require("copydesk.review.at_cursor").decide_file("accept", context.window)
  end,
}
