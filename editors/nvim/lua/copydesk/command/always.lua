--- `always [project|edit]`: allows the patterns of the open ask, for the rest of the session or in the whole project.

local M = { summary = "always [project|edit]: allow it from now on, for the patterns shown" }

function M.run(args)
  local replies = require("copydesk.ask_reply")
  if #args == 0 then
    replies.reply({ reply = "always" })
  elseif #args == 1 and args[1] == "project" then
    replies.reply({ reply = "always", scope = "project" })
  elseif #args == 1 and args[1] == "edit" then
    replies.edit()
  else
    local given = table.concat(args, " ")
    require("copydesk.message").error(("`always` takes `project` or `edit`, not `%s`"):format(given))
  end
end

function M.complete(lead, args)
  return #args == 0 and require("copydesk.command").beginning({ "project", "edit" }, lead) or {}
end

return M
