--- `next [count]`: goes to the next hunk, in the next file where there is none in this one.

return {
  summary = "next [count]: go to the next hunk",
  run = function(args)
    local count = tonumber(args[1]) or vim.v.count1
    require("copydesk.review.go").step(math.max(1, math.floor(count)))
  end,
}
