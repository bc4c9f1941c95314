--- `next [count]`: goes to the next hunk; after the last one of this file, to the next file.

return {
  summary = "next [count]: go to the next hunk",
  run = function(args)
    local count = tonumber(args[1]) or vim.v.count1
    require("copydesk.review.navigation").step(math.max(1, math.floor(count)))
  end,
}
