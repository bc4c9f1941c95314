--- `prev [count]`: goes to the hunk before, in the next file where there is none in this one.

return {
  summary = "prev [count]: go to the hunk before",
  run = function(args)
    local count = tonumber(args[1]) or vim.v.count1
    require("copydesk.review.go").step(-math.max(1, math.floor(count)))
  end,
}
