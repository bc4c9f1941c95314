--- `reject-all`: rejects every undecided hunk, in all files.

return {
  summary = "reject-all: reject everything that is undecided",
  run = function()
    require("copydesk.review.at_cursor").decide_all("reject")
  end,
}
