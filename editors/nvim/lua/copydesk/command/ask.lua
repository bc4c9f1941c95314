--- `ask {prompt}`: sends a prompt with the selection. With `!` the conversation stays shown or hidden as it is.

local M = { summary = "ask {prompt}: send a prompt, with the range if there is one" }

--- The context of a range. If it equals the last selection, its columns count, too. A command that a Visual-mode map runs
--- with <Cmd> has no range.
---@param context copydesk.CommandContext
---@return copydesk.ContextPiece?
function M.selection(context)
  local piece = require("copydesk.context.piece")
  local buffer, range = vim.api.nvim_win_get_buf(context.window), context.range
  if not range then
    return vim.fn.mode():find("^[vV\22]") and piece.selection(buffer) or nil
  end
  local is_visual = vim.api.nvim_buf_call(buffer, function()
    return vim.fn.line("'<") == range.first and vim.fn.line("'>") == range.last
  end)
  return is_visual and piece.selection(buffer) or piece.lines(buffer, range.first, range.last)
end

function M.run(_, context)
  local piece = M.selection(context)
  local text = context.text
  if text == "" then
    local about = piece and (" about %s"):format(piece.label) or ""
    local given = require("copydesk.pick").input(("Ask%s: "):format(about))
    if not given then
      return
    end
    text = given
  end
  if not context.bang then
    require("copydesk.chat").open()
    -- The focus stays in the user's window.
    if vim.api.nvim_win_is_valid(context.window) then
      vim.api.nvim_set_current_win(context.window)
    end
  end
  require("copydesk.prompt").send(text, { context = piece and { piece.item }, origin = context.window })
end

--- Completes mentions.
function M.complete(lead)
  return require("copydesk.complete").words(lead)
end

return M
