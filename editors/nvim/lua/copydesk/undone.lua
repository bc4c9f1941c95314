--- What became of each file when something was taken back, in one line.
---
--- Contract: says every file, and first what the person has to look at.

local message = require("copydesk.message")

local M = {}

--- The order in which outcomes are told, and their words.
---@type { outcome: copydesk.UndoOutcome, words: string }[]
local outcomes = {
  { outcome = "conflict", words = "left as it is, because you changed the same lines" },
  { outcome = "gone", words = "not there any more" },
  { outcome = "undone", words = "" },
  { outcome = "unchanged", words = "was so already" },
}

---@param files copydesk.UndoneFile[]
---@param done string What was done to the files where it worked: "undone" or "redone".
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

--- Tells it.
---@param files copydesk.UndoneFile[]
---@param done string
function M.tell(files, done)
  local is_clean = true
  for _, file in ipairs(files) do
    is_clean = is_clean and (file.outcome == "undone" or file.outcome == "unchanged")
  end
  local say = is_clean and message.info or message.warn
  say(M.line(files, done))
end

--- Tells why it could not be done.
---@param problem string
---@param code? integer
function M.refused(problem, code)
  local is_busy = code == require("copydesk.protocol").errors.busy
  message.error(is_busy and "a turn runs; `:Copydesk stop` ends it, then try again" or problem)
end

return M
