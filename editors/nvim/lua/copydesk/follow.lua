--- Following the agent: the place it reads or changes is shown, in a window that the person is not in.
---
--- Contract: never takes the focus, never touches the window that has it, never a window with something other than a document.
--- Where there is no such window, nothing is shown.

local session = require("copydesk.session")

--- The window to show things in.
---@return integer?
local function window()
  local origin = require("copydesk.chat").origin()
  if origin and origin ~= vim.api.nvim_get_current_win() then
    return origin
  end
end

---@param place copydesk.Place
local function show(place)
  local shown_in = window()
  if not shown_in or not vim.uv.fs_stat(place.path) then
    return
  end
  vim.api.nvim_win_call(shown_in, function()
    require("copydesk.chat.jump").show(place)
  end)
end

session.listen(function(view, what, part)
  local is_wanted = view == session.current() and require("copydesk.config").get().follow
  if what ~= "part" or part.content.kind ~= "call" or not is_wanted then
    return
  end
  local kind = part.state.kind
  if kind == "running" or kind == "completed" then
    local lines = vim.split(vim.tbl_get(part.content, "output", "metadata", "diff") or "", "\n")
    local place = require("copydesk.chat.jump").place(part, lines, 1, view.session.folder)
    if place then
      vim.schedule(function()
        show(place)
      end)
    end
  end
end)
