--- Follows the agent: shows the place it reads or changes, in a window other than the user's.
---
--- Contract: never takes the focus and never touches the focused window or a window without a document. If there is no such window,
--- or Neovim would have to ask the user, nothing is shown.

local session = require("copydesk.session")

--- The window to use.
---@return integer?
local function window()
  local origin = require("copydesk.chat").origin()
  if origin and origin ~= vim.api.nvim_get_current_win() then
    return origin
  end
end

---@param place copydesk.CodeLocation
local function show(place)
  local shown_in = window()
  if shown_in then
    require("copydesk.editor").show_beside(shown_in, place.path, place.line)
  end
end

session.listen(function(view, what, part)
  local is_wanted = view == session.current() and require("copydesk.config").get().follow
  if what ~= "part" or part.content.kind ~= "call" or not is_wanted then
    return
  end
  local kind = part.state.kind
  if kind == "running" or kind == "completed" then
    local call = part.content --[[@as copydesk.CallInfo]]
    local edit = call.output and call.output.metadata --[[@as copydesk.FileEditMetadata?]]
    local diff = type(edit) == "table" and type(edit.diff) == "string" and edit.diff or ""
    local lines = vim.split(diff, "\n")
    local place = require("copydesk.chat.jump").place(part, lines, 1, view.session.folder)
    if place then
      vim.schedule(function()
        show(place)
      end)
    end
  end
end)
