--- `edit`: changes what is proposed under the cursor; writing it accepts it so.

return {
  summary = "edit: change what is proposed under the cursor, and accept that",
  run = function(args, context)
    if #args > 0 then
      return require("copydesk.message").error("`edit` takes no arguments")
    end
    require("copydesk.review.here").edit(context.window)
  end,
}
