--- Draws asks and questions, in the conversation and in the float.
---
--- Contract: pure, like `render`. The patterns that "always" would allow are shown before the user can choose it.

local render = require("copydesk.chat.render")

local M = {}

--- A key and what it does. A no-break space keeps them on one line.
local KEY = "[%s]\u{a0}%s"

---@param name string
---@return string?
local function key(name)
  local keys = require("copydesk.config").get().keys[name]
  return keys and keys.n
end

---@param block copydesk.Block
---@param words string
---@param group? string
local function add(block, words, group)
  for line in vim.gsplit(words, "\n", { plain = true }) do
    block.lines[#block.lines + 1] = line
    if group then
      render.mark(block, #block.lines - 1, group)
    end
  end
end

--- The keys that answer, as far as they are mapped.
---@param ask copydesk.PermissionAskParams
---@return string
local function choices(ask)
  local words = {}
  local function offer(name, label)
    if key(name) then
      words[#words + 1] = KEY:format(key(name), label)
    end
  end
  local is_plan = ask.key == "plan_exit"
  offer("once", is_plan and "carry it out" or "once")
  if #ask.always > 0 then
    offer("always", ("always: %s %s"):format(ask.key, table.concat(ask.always, ", ")))
    if ask.projectAlways then
      offer("always_project", "always in this project")
    end
    offer("always_edit", "edit always")
  end
  offer("reject", is_plan and "no, stop" or "reject")
  offer("reject_reason", is_plan and "say what to change" or "reject and say why")
  return table.concat(words, "   ")
end

--- How many hunks can be decided one by one.
---@param ask copydesk.PermissionAskParams
---@return string?
local function hunks(ask)
  local state = require("copydesk.review.state")
  local count = 0
  for _, one in ipairs(state.of_ask(ask.ask)) do
    count = count + state.size(one)
  end
  if count > 0 then
    local many = count == 1 and "1 hunk" or ("%d hunks, to decide one by one"):format(count)
    return ("%s: `:Copydesk next`"):format(many)
  end
end

--- The rule that asks and where it stands, in one line, with the home as `~`.
---@param text string
---@return string
local function why(text)
  local home = vim.uv.os_homedir() or ""
  local line = text:gsub("%c+", " ")
  return #home > 1 and (line:gsub("%(" .. vim.pesc(home) .. "/", "(~/")) or line
end

---@param block copydesk.Block
---@param ask copydesk.PermissionAskParams
local function permission(block, ask)
  local icon = require("copydesk.config").get().icons.ask
  add(block, ("%s %s"):format(icon, (ask.title:gsub("%c+", " "))), "CopydeskAsk")
  ---@type copydesk.PermissionAskMetadata
  local metadata = type(ask.metadata) == "table" and ask.metadata or {}
  local command = metadata --[[@as copydesk.CommandAskMetadata]]
  local plan = metadata --[[@as copydesk.PlanAskMetadata]]
  local is_shown = render.diffs(block, metadata)
  if not is_shown and type(command.command) == "string" then
    render.fenced(block, command.command, "sh")
  elseif type(plan.plan) == "string" then
    render.fenced(block, plan.plan, "markdown")
  elseif not is_shown and #ask.patterns > 0 and not ask.title:find(ask.patterns[1], 1, true) then
    render.fenced(block, table.concat(ask.patterns, "\n"), "")
  end
  local before = #block.lines
  if command.sandboxed == true and type(command.sandboxNote) == "string" then
    add(block, "In the sandbox: " .. (command.sandboxNote:gsub("%c+", " ")), "CopydeskDim")
  end
  require("copydesk.chat.problems").add(block, metadata, true)
  local one_by_one = hunks(ask)
  if one_by_one then
    add(block, one_by_one, "CopydeskDim")
  end
  if ask.why and ask.key ~= "plan_exit" then
    add(block, "why: " .. why(ask.why), "CopydeskDim")
  end
  if ask.problem then
    add(block, "not accepted: " .. (ask.problem:gsub("%c+", " ")), "CopydeskError")
  end
  add(block, choices(ask), "CopydeskAsk")
  block.tail = #block.lines - before
end

---@param block copydesk.Block
---@param question copydesk.QuestionAskParams
local function questions(block, question)
  local icon = require("copydesk.config").get().icons.ask
  for number, asked in ipairs(question.questions) do
    if number > 1 then
      add(block, "")
    end
    local several = asked.multiple and " (choose one or more)" or ""
    add(block, ("%s %s%s"):format(icon, require("copydesk.question").signed(question, asked), several), "CopydeskAsk")
    for number, option in ipairs(asked.options) do
      local more = option.description and option.description ~= "" and " – " .. option.description or ""
      add(block, ("  %d. %s%s"):format(number, option.label, more))
    end
  end
  local keys = {}
  for _, offer in ipairs({ { "jump", "answer" }, { "reject", "no answer, stop" }, { "reject_reason", "say something else" } }) do
    if key(offer[1]) then
      keys[#keys + 1] = KEY:format(key(offer[1]), offer[2])
    end
  end
  add(block, table.concat(keys, "   "), "CopydeskAsk")
end

--- All open asks of a session.
---@param items copydesk.OpenAsk[]
---@return copydesk.Block
function M.all(items)
  local block = { lines = {}, marks = {}, kind = "ask", asks = {} } ---@type copydesk.Block
  for _, item in ipairs(items) do
    add(block, "")
    local first = #block.lines
    if item.kind == "permission" then
      permission(block, item.ask)
    else
      questions(block, item.question)
    end
    block.asks[#block.asks + 1] = { item = item, first = first, last = #block.lines - 1 }
  end
  return block
end

return M
