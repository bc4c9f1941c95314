--- `accept-all`: accepts every undecided hunk, in all files.

return {
  summary = "accept-all: accept everything that is undecided",
  run = function()
    require("copydesk.review.at_cursor").decide_all("accept")
  end,
}
