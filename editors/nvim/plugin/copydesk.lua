--- Defines the command `:Copydesk` and the `<Plug>(copydesk-…)` maps.
---
--- Contract: loads no module of the plugin before first use. So it repeats the names in `copydesk.command`.

if vim.g.loaded_copydesk then
  return
end
vim.g.loaded_copydesk = true

if vim.fn.has("nvim-0.10") == 0 then
  local line = "Copydesk needs Neovim 0.10 or newer; it is disabled in this one."
  vim.api.nvim_echo({ { line, "WarningMsg" } }, true, {})
  return
end

vim.api.nvim_create_user_command("Copydesk", function(call)
  require("copydesk.command").given(call)
end, {
  nargs = "*",
  range = true,
  bang = true,
  desc = "Work with the Copydesk agent",
  complete = function(lead, line, at)
    return require("copydesk.command").complete(lead, line, at)
  end,
})

local names = {
  "ask", "chat", "stop", "undo", "redo", "new", "sessions", "model", "agent", "preset", "add",
  "allow", "always", "reject", "accept", "comment", "edit", "next", "prev", "review", "changes", "places",
  "accept-file", "reject-file", "accept-all", "reject-all", "follow", "status", "log", "doctor", "trust", "permission", "restart",
}
for _, name in ipairs(names) do
  vim.api.nvim_set_keymap("n", ("<Plug>(copydesk-%s)"):format(name), ("<Cmd>Copydesk %s<CR>"):format(name), {
    noremap = true,
    desc = "Copydesk: " .. name,
  })
end
for _, name in ipairs({ "ask", "add", "accept", "reject", "comment" }) do
  -- Not <Cmd>: the range is the selection, whose marks are set when the command line begins.
  vim.api.nvim_set_keymap("x", ("<Plug>(copydesk-%s)"):format(name), (":Copydesk %s<CR>"):format(name), {
    noremap = true,
    silent = true,
    desc = ("Copydesk: %s, with the selection"):format(name),
  })
end
