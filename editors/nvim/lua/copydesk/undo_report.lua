--- Reports the outcome of an undo or redo for each file, in one line.
---
--- Contract: names every file, and first those that need the user's attention.

local message = require("copydesk.message")

local M = {}

--- The outcomes in the order of the report, and their words.
---@type { outcome: copydesk.UndoOutcome, words: string }[]
local outcomes = {
  { outcome = "conflict", words = "left as it is, because you changed the same lines" },
  { outcome = "gone", words = "no longer there" },
  { outcome = "undone", words = "" },
  { outcome = "unchanged", words = "unchanged" },
}

---@param files copydesk.UndoneFile[]
---@param done string The word for success: "undone" or "redone".
---@return string
function M.line(files, done)
  local pieces = {}
  for _, kind in ipairs(outcomes) do
    local names = {}
    for _, file in ipairs(files) do
      if file.outcome == kind.outcome then
        local name = require("copydesk.buffer").shown(file.uri)
        local why = kind.outcome == "conflict" and file.message
        name = why and ("%s (%s)"):format(name, why) or name
        -- Several calls may have changed it.
        if not vim.list_contains(names, name) then
          names[#names + 1] = name
        end
      end
    end
    if #names > 0 then
      local words = kind.outcome == "undone" and done or kind.words
      pieces[#pieces + 1] = ("%s: %s"):format(words, table.concat(names, ", "))
    end
  end
  return table.concat(pieces, "; ")
end

--- Reports the outcome.
---@param files copydesk.UndoneFile[]
---@param done string
function M.report(files, done)
  local is_clean = true
  for _, file in ipairs(files) do
    is_clean = is_clean and (file.outcome == "undone" or file.outcome == "unchanged")
  end
  local say = is_clean and message.info or message.warn
  say(M.line(files, done))
end

--- Reports why it failed.
---@param problem string
---@param code? integer
function M.report_error(problem, code)
  local is_busy = code == require("copydesk.protocol").errors.busy
  message.error(is_busy and "a turn is running; `:Copydesk stop` stops it, then try again" or problem)
end

return M
