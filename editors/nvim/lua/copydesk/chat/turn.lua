--- From the conversation to what was done: the changes of the turn under the cursor, and taking them back.
---
--- Contract: nothing waits. A call is taken back alone, at a prompt its whole turn is.

local message = require("copydesk.message")
local transcript = require("copydesk.chat.transcript")

local M = {}

--- The part that the row under the cursor shows.
---@return copydesk.View?
---@return copydesk.PartInfo?
local function part_here()
  local view = require("copydesk.session").view(transcript.shown())
  local block = transcript.at(vim.api.nvim_win_get_cursor(0)[1] - 1)
  return view, view and block and view.parts[view.at[block.part or ""] or 0]
end

--- Lists what the turn changed; where there is none under the cursor, what all did.
function M.changes()
  local _, part = part_here()
  require("copydesk.command").run({ "changes", part and tostring(part.turn) or nil })
end

--- Takes back what the call did, or what the turn of the prompt did.
function M.undo()
  local view, part = part_here()
  local kind = part and part.content.kind
  if not view or not part or kind ~= "call" and kind ~= "prompt" then
    return message.info("there is nothing to take back here; on a call it is what that did, on a prompt what its turn did")
  end
  require("copydesk.await").run(function()
    local what = kind == "call" and { call = part.id } or { turn = part.turn }
    local files = require("copydesk.takeback").undo(view, what)
    if files and #files == 0 then
      message.info("there is nothing to take back")
    elseif files then
      require("copydesk.undone").tell(files, "undone")
    end
  end)
end

return M
