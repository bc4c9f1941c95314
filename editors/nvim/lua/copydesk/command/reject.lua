--- `reject [reason]`: rejects the hunk under the cursor, or the changed lines in the range; without a hunk, the open ask.
---
--- The agent gets the reason. Rejecting an ask without one stops the turn. If both could be meant, the user chooses.

local M = { summary = "reject [reason]: reject the hunk under the cursor, or the call that asks" }

--- The hunk under the cursor or in the range, if there is one.
---@param context copydesk.CommandContext
---@return copydesk.LocatedHunk?
local function hunk(context)
  local at_cursor = require("copydesk.review.at_cursor")
  if context.range then
    return at_cursor.within(vim.api.nvim_win_get_buf(context.window), context.range)[1]
  end
  return at_cursor.under_cursor(context.window)
end

function M.run(_, context)
  local reason = context.text ~= "" and context.text or nil
  local found, item = hunk(context), require("copydesk.ask").candidates()[1]
  local is_hunk = found ~= nil
  -- No choice is needed if the ask is about this very hunk.
  if found and item and found.one.ask ~= item.id then
    local choices = { "The hunk under the cursor", ("The ask: %s"):format(require("copydesk.ask").title(item)) }
    local _, number = require("copydesk.pick").select(choices, {
      prompt = "Reject",
      kind = "action",
      label = function(choice)
        return choice
      end,
    })
    if not number then
      return
    end
    is_hunk = number == 1
  end
  if is_hunk then
    return require("copydesk.review.at_cursor").decide("reject", context.range, reason, context.window)
  end
  require("copydesk.ask_reply").reply({ reply = "reject", reason = reason })
end

return M
