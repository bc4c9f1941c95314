--- `changes [TURN]`: lists what each turn of the session changed, with undo and redo.

local M = { summary = "changes [turn]: list what each turn changed, with undo and redo" }

function M.run(args)
  local turn = tonumber((args[1] or ""):match("^%d+$"))
  if #args > 1 or args[1] and not turn then
    local given = table.concat(args, " ")
    return require("copydesk.message").error(("`changes` takes a turn number, not `%s`"):format(given))
  end
  require("copydesk.changes").open(turn)
end

return M
