--- `edit {instruction}`: the model rewrites the selection or the current line. If these lines have an open inline edit, the
--- instruction refines that; with `!` the model tries again. Without words the user edits the proposal under the cursor; writing accepts it.

local message = require("copydesk.message")

---@param window integer
---@return copydesk.ReviewState? one The inline edit under the cursor.
local function inline_edit_at_cursor(window)
  local found = require("copydesk.review.at_cursor").under_cursor(window)
  return found and require("copydesk.inline").is(found.one) and found.one or nil
end

return {
  summary = "edit {instruction}: rewrite the selection; without words, edit the proposal",
  run = function(_, context)
    local inline = require("copydesk.inline")
    local one = inline_edit_at_cursor(context.window)
    if context.bang then
      if not one then
        return message.info("there is no inline edit under the cursor to retry")
      end
      return inline.refine(one)
    elseif context.text == "" and not context.range then
      return require("copydesk.review.at_cursor").edit(context.window)
    end
    local bufnr = vim.api.nvim_win_get_buf(context.window)
    if not require("copydesk.buffer").is_document(bufnr) then
      return message.info("an inline edit needs lines of a file; this window shows none")
    end
    local row = vim.api.nvim_win_get_cursor(context.window)[1]
    local piece = require("copydesk.command.ask").selection(context)
      or require("copydesk.context.piece").lines(bufnr, row, row)
    local text = context.text
    if text == "" then
      text = require("copydesk.pick").input(("Edit %s: "):format(piece.label)) or ""
      if vim.trim(text) == "" then
        return
      end
    end
    local range = piece.item.range
    local open = not context.range and one or inline.at(bufnr, range.start.line, range["end"].line)
    if open then
      return inline.refine(open, text)
    end
    inline.start(bufnr, piece, text)
  end,
}
