--- The keys of the conversation's windows.
---
--- Contract: buffer-local; a key that the user removed in the options is not mapped. `g?` lists the mapped keys.

local M = {}

---@param reply copydesk.PermissionReply|fun(): copydesk.PermissionReply?
local function answer(reply)
  require("copydesk.await").run(function()
    require("copydesk.ask_reply").reply_here(reply)
  end)
end

--- Moves to the next or previous prompt.
---@param step integer
local function to_prompt(step)
  local transcript = require("copydesk.chat.transcript")
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _, block in ipairs(transcript.blocks()) do
    -- The first block has no blank line above its heading.
    local heading = block.first + (block.lines[1] == "" and 1 or 0)
    if block.kind == "prompt" and block.count > 0 then
      if step < 0 and heading < row then
        found = heading
      elseif step > 0 and heading > row then
        found = found or heading
      end
    end
  end
  if found then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { found + 1, 0 })
  end
end

--- Each key: where it is mapped, what it does, and its description in the list of keys.
---@type { name: string, where: string[], says: string, run: fun(), in_menu?: boolean }[]
M.all = {
  {
    name = "send",
    where = { "prompt" },
    says = "send the prompt",
    run = function()
      require("copydesk.chat.input").send()
    end,
  },
  {
    name = "earlier_prompt",
    where = { "prompt" },
    says = "previous prompt",
    in_menu = true,
    run = function()
      require("copydesk.chat.input").recall(1)
    end,
  },
  {
    name = "later_prompt",
    where = { "prompt" },
    says = "next prompt",
    in_menu = true,
    run = function()
      require("copydesk.chat.input").recall(-1)
    end,
  },
  {
    name = "stop",
    where = { "prompt", "chat" },
    says = "stop the turn",
    run = function()
      require("copydesk.command").run({ "stop" })
    end,
  },
  {
    name = "close",
    where = { "chat", "float" },
    says = "close the conversation; the turn continues",
    run = function()
      require("copydesk.chat").close()
    end,
  },
  {
    name = "jump",
    where = { "chat", "float" },
    says = "go to the code, open the task, answer the question",
    run = function()
      require("copydesk.chat.jump").here()
    end,
  },
  {
    name = "parent",
    where = { "chat" },
    says = "go to the parent session",
    run = function()
      require("copydesk.chat.jump").parent()
    end,
  },
  {
    name = "fold",
    where = { "chat" },
    says = "open or close a fold",
    run = function()
      vim.cmd("silent! normal! za")
    end,
  },
  {
    name = "next_prompt",
    where = { "chat" },
    says = "to the next prompt",
    run = function()
      to_prompt(1)
    end,
  },
  {
    name = "previous_prompt",
    where = { "chat" },
    says = "to the previous prompt",
    run = function()
      to_prompt(-1)
    end,
  },
  {
    name = "resend",
    where = { "chat" },
    says = "edit the prompt under the cursor and send it again",
    run = function()
      require("copydesk.chat.resend").here()
    end,
  },
  {
    name = "changes",
    where = { "chat" },
    says = "list what the turn changed",
    run = function()
      require("copydesk.chat.turn").changes()
    end,
  },
  {
    name = "undo",
    where = { "chat" },
    says = "undo the call; on a prompt, its turn",
    run = function()
      require("copydesk.chat.turn").undo()
    end,
  },
  {
    name = "redo",
    where = { "chat" },
    says = "redo the last undo",
    run = function()
      require("copydesk.command").run({ "redo" })
    end,
  },
  {
    name = "once",
    where = { "chat", "float" },
    says = "allow the call once",
    run = function()
      answer({ reply = "once" })
    end,
  },
  {
    name = "always",
    where = { "chat", "float" },
    says = "allow it from now on, for the patterns shown",
    run = function()
      answer({ reply = "always" })
    end,
  },
  {
    name = "always_project",
    where = { "chat", "float" },
    says = "allow it in every session of this project",
    run = function()
      answer({ reply = "always", scope = "project" })
    end,
  },
  {
    name = "always_edit",
    where = { "chat", "float" },
    says = "edit the patterns before you allow them",
    run = function()
      require("copydesk.await").run(require("copydesk.ask_reply").edit_here)
    end,
  },
  {
    name = "reject",
    where = { "chat", "float" },
    says = "reject it; the turn stops",
    run = function()
      answer({ reply = "reject" })
    end,
  },
  {
    name = "reject_reason",
    where = { "chat", "float" },
    says = "reject it with a reason; the turn continues",
    run = function()
      answer(function()
        local reason = require("copydesk.pick").input("Why not? ")
        return reason and { reply = "reject", reason = reason }
      end)
    end,
  },
  {
    name = "help",
    where = { "prompt", "chat", "float" },
    says = "these keys",
    run = function()
      require("copydesk.chat.keys").show()
    end,
  },
}

--- Maps the keys of one kind of window.
---@param buffer integer
---@param where "prompt"|"chat"|"float"
function M.map(buffer, where)
  local keys = require("copydesk.config").get().keys
  for _, key in ipairs(M.all) do
    if vim.tbl_contains(key.where, where) then
      for mode, lhs in pairs(keys[key.name] or {}) do
        if where == "prompt" or mode == "n" then
          local options = { buffer = buffer, nowait = true, desc = "Copydesk: " .. key.says }
          if mode == "i" and key.in_menu then
            -- While a completion menu is open, the key belongs to it.
            options.expr, options.replace_keycodes = true, true
            vim.keymap.set(mode, lhs, function()
              if vim.fn.pumvisible() == 1 then
                return lhs
              end
              vim.schedule(key.run)
              return ""
            end, options)
          else
            vim.keymap.set(mode, lhs, key.run, options)
          end
        end
      end
    end
  end
end

--- Shows the keys of the window that has the focus.
function M.show()
  local current = vim.api.nvim_get_current_buf()
  local where = current == require("copydesk.chat.input").buffer() and "prompt" or "chat"
  local keys = require("copydesk.config").get().keys
  local rows, widest = {}, 0
  for _, key in ipairs(M.all) do
    local mapped = keys[key.name] or {}
    if vim.tbl_contains(key.where, where) and next(mapped) then
      local names = {}
      for _, mode in ipairs({ "n", "i", "x" }) do
        if mapped[mode] and (where == "prompt" or mode == "n") then
          names[#names + 1] = mapped[mode] .. (mode == "i" and " (inserting)" or "")
        end
      end
      rows[#rows + 1] = { table.concat(names, ", "), key.says }
      widest = math.max(widest, #rows[#rows][1])
    end
  end
  local lines = vim.tbl_map(function(row)
    return (" %s%s   %s "):format(row[1], (" "):rep(widest - #row[1]), row[2])
  end, rows)
  local help = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(help, 0, -1, true, lines)
  vim.bo[help].modifiable, vim.bo[help].bufhidden = false, "wipe"
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local window = vim.api.nvim_open_win(help, true, {
    relative = "editor",
    row = math.max(0, math.floor((vim.o.lines - #lines) / 2) - 1),
    col = math.max(0, math.floor((vim.o.columns - width) / 2)),
    width = math.min(width, vim.o.columns),
    height = math.min(#lines, math.max(1, vim.o.lines - 4)),
    style = "minimal",
    border = "rounded",
    title = " Keys ",
  })
  for _, lhs in ipairs({ "q", "<Esc>", "<CR>" }) do
    vim.keymap.set("n", lhs, function()
      pcall(vim.api.nvim_win_close, window, true)
    end, { buffer = help, nowait = true })
  end
end

return M
