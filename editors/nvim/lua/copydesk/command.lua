--- The commands: `:Copydesk NAME …`, and `/NAME …` in a prompt. Each is a file in `command/`.
---
--- Contract: a command runs in a coroutine and never blocks Neovim. An error is reported in one line, with what to do.
--- Completion returns what is known at once.

local M = {}

---@class copydesk.CommandContext
---@field text string The arguments as typed.
---@field bang boolean
---@field range? { first: integer, last: integer } Lines, from 1.
---@field window integer The window in which the user ran it.

---@class copydesk.Command
---@field summary string One line for the user: `NAME [ARGUMENTS]: what it does`. Completion shows what follows the colon.
---@field run fun(args: string[], context: copydesk.CommandContext)
---@field complete? fun(lead: string, args: string[]): string[] `args` are the words before `lead`.

--- All commands, in the order of completion. `plugin/copydesk.lua` has a map for each.
M.names = {
  "ask", "chat", "stop", "undo", "redo", "new", "sessions", "model", "agent", "preset", "add",
  "allow", "always", "reject", "accept", "comment", "edit", "next", "prev", "review", "changes", "places",
  "accept-file", "reject-file", "accept-all", "reject-all", "follow", "status", "log", "doctor", "trust", "permission", "restart",
}

---@param name string
---@return copydesk.Command?
function M.get(name)
  if vim.list_contains(M.names, name) then
    return require("copydesk.command." .. name)
  end
end

--- The edit distance of two words.
---@param a string
---@param b string
---@return integer
local function distance(a, b)
  local row = {}
  for j = 0, #b do
    row[j] = j
  end
  for i = 1, #a do
    local diagonal = row[0]
    row[0] = i
    for j = 1, #b do
      local above = row[j]
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(above + 1, row[j - 1] + 1, diagonal + cost)
      diagonal = above
    end
  end
  return row[#b]
end

--- The command name nearest to a word.
---@param word string
---@return string
function M.nearest(word)
  local best, least = M.names[1], math.huge
  for _, name in ipairs(M.names) do
    local apart = vim.startswith(name, word) and 0 or distance(word:lower():sub(1, 32), name)
    if apart < least then
      best, least = name, apart
    end
  end
  return best
end

--- Splits a line into words as `:Copydesk` does: a backslash keeps a space in a word.
---@param line string
---@return string[]
function M.words(line)
  local marked = line:gsub("\\([\\%s])", function(kept)
    return ("\1%d\1"):format(kept:byte())
  end)
  return vim.tbl_map(function(word)
    return (word:gsub("\1(%d+)\1", function(byte)
      return string.char(byte)
    end))
  end, vim.split(marked, "%s+", { trimempty = true }))
end

--- Runs a command.
---@param words string[] Its name and its arguments.
---@param context? table Missing fields are filled in.
function M.run(words, context)
  local name, args = words[1], vim.list_slice(words, 2)
  local command = M.get(name)
  if not command then
    local text = ("there is no command `%s`; did you mean `%s`?"):format(name, M.nearest(name))
    return require("copydesk.message").error(text)
  end
  context = vim.tbl_extend("keep", context or {}, {
    text = table.concat(args, " "),
    bang = false,
    window = vim.api.nvim_get_current_win(),
  })
  require("copydesk.highlight").define()
  require("copydesk.await").run(function()
    command.run(args, context)
  end)
end

--- `:Copydesk`, as |nvim_create_user_command()| calls it. Without a name it runs `chat`.
---@param call table
function M.given(call)
  M.run(call.fargs[1] and call.fargs or { "chat" }, {
    text = vim.trim((call.args:gsub("^%s*%S+", "", 1))),
    bang = call.bang,
    range = call.range > 0 and { first = call.line1, last = call.line2 } or nil,
  })
end

---@param words string[]
---@param lead string
---@return string[]
local function beginning(words, lead)
  return vim.tbl_filter(function(word)
    return vim.startswith(word, lead)
  end, words)
end

--- The completions after some words.
---@param before string[] The complete words, the command's name first.
---@param lead string
---@return string[]
function M.offers(before, lead)
  local name = before[1]
  if not name then
    local found = beginning(M.names, lead)
    return #found > 0 and found or vim.fn.matchfuzzy(M.names, lead)
  end
  local command = M.get(name)
  if not command or not command.complete then
    return {}
  end
  return command.complete(lead, vim.list_slice(before, 2))
end

--- Completion of `:Copydesk`.
---@param lead string
---@param line string
---@param at integer
---@return string[]
function M.complete(lead, line, at)
  local written = line:sub(1, at - #lead)
  -- Skip the range and the command itself, however they are written.
  local after = written:match("^.-%f[%a]C%a*!?%s+(.*)$") or ""
  local before = vim.split(vim.trim(after), "%s+", { trimempty = true })
  return M.offers(before, lead)
end

--- The words that begin with a lead; for a command's `complete`.
M.beginning = beginning

return M
