--- Lists and undoes the changes of the turn under the cursor, from the conversation.
---
--- Contract: nothing blocks. On a call, undo reverts that call; on a prompt, its whole turn.

local message = require("copydesk.message")
local transcript = require("copydesk.chat.transcript")

local M = {}

--- The part under the cursor.
---@return copydesk.View?
---@return copydesk.PartInfo?
local function part_here()
  local view = require("copydesk.session").view(transcript.shown())
  local block = transcript.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  return view, view and block and view.parts[view.at[block.part or ""] or 0]
end

--- Lists the changes of the turn under the cursor, or of all turns.
function M.changes()
  local _, part = part_here()
  require("copydesk.command").run({ "changes", part and tostring(part.turn) or nil })
end

--- Undoes the call under the cursor, or the turn of the prompt.
function M.undo()
  local view, part = part_here()
  local kind = part and part.content.kind
  if not view or not part or kind ~= "call" and kind ~= "prompt" then
    return message.info("there is nothing to undo here; go to a call to undo it, or to a prompt to undo its turn")
  end
  require("copydesk.await").run(function()
    local what = kind == "call" and { call = part.id } or { turn = part.turn }
    local files = require("copydesk.undo").undo(view, what)
    if files and #files == 0 then
      message.info("there is nothing to undo")
    elseif files then
      require("copydesk.undo_report").report(files, "undone")
    end
  end)
end

return M
