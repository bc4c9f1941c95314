--- `prev [count]`: goes to the previous hunk; before the first one of this file, to the previous file.

return {
  summary = "prev [count]: go to the previous hunk",
  run = function(args)
    local count = tonumber(args[1]) or vim.v.count1
    require("copydesk.review.navigation").step(-math.max(1, math.floor(count)))
  end,
}
