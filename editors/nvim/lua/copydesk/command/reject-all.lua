--- `reject-all`: rejects every undecided hunk, in all files.

return {
  summary = "reject-all: reject everything that is undecided",
  run = function()
    require("copydesk.review.here").decide_all("reject")
  end,
}
