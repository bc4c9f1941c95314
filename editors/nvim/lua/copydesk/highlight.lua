--- The highlight groups, each linked to one that every colour scheme has.
---
--- Contract: what a person or a colour scheme sets stays (`default`). `define` may be called any number of times.

local M = {}

--- Each group, and what it looks like where nobody says otherwise.
---@type table<string, string>
M.groups = {
  --- What the person said.
  CopydeskYou = "Identifier",
  --- The name of a tool in the line of a call.
  CopydeskTool = "Function",
  --- States of calls.
  CopydeskDone = "DiagnosticOk",
  CopydeskError = "DiagnosticError",
  CopydeskRunning = "DiagnosticInfo",
  --- What waits for the person.
  CopydeskAsk = "DiagnosticWarn",
  --- What matters less: durations, reasoning, hints.
  CopydeskDim = "Comment",
  --- Lines of a diff.
  CopydeskAdded = "Added",
  CopydeskRemoved = "Removed",
  --- Titles of windows.
  CopydeskTitle = "Title",
}

local function link()
  for name, to in pairs(M.groups) do
    vim.api.nvim_set_hl(0, name, { link = to, default = true })
  end
end

local is_defined = false

--- Defines the groups, and again after each colour scheme.
function M.define()
  if is_defined then
    return
  end
  is_defined = true
  link()
  vim.api.nvim_create_autocmd("ColorScheme", {
    group = vim.api.nvim_create_augroup("copydesk.highlight", {}),
    desc = "Copydesk's highlight groups",
    callback = link,
  })
end

return M
