--- `reject [reason]`: no. To the hunk under the cursor, or the lines of hunks in the range; else to the oldest ask.
---
--- The agent is told the reason. An ask that is rejected without one stops the turn. Where both could be meant, the person is
--- asked.

local M = { summary = "reject [reason]: reject the hunk under the cursor, or what is asked for" }

--- Whether there is a hunk to be decided.
---@param context copydesk.CommandContext
---@return copydesk.Found?
local function hunk(context)
  local here = require("copydesk.review.here")
  if context.range then
    return here.within(vim.api.nvim_win_get_buf(context.window), context.range)[1]
  end
  return here.under_cursor(context.window)
end

function M.run(_, context)
  local reason = context.text ~= "" and context.text or nil
  local found, item = hunk(context), require("copydesk.ask").first()
  local is_hunk = found ~= nil
  -- What is asked is asked about hunks one by one, where it is the hunk that is waited for.
  if found and item and found.one.ask ~= item.id then
    local title = item.ask and item.ask.title or require("copydesk.question").signed(item.question, item.question.questions[1])
    local choices = { "The hunk under the cursor", ("What is asked: %s"):format(title) }
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
    return require("copydesk.review.here").decide("reject", context.range, reason, context.window)
  end
  require("copydesk.reply").give({ reply = "reject", reason = reason })
end

return M
