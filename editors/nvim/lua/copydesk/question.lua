--- Asks the user the agent's questions, one after another, through `vim.ui`.
---
--- Contract: uses the user's own picker. Leaving it answers nothing, and the questions stay open. If they are answered elsewhere
--- meanwhile, the answers here are dropped.

local pick = require("copydesk.pick")

local M = {}

local OWN, DONE = "Something else …", "That is all"

---@param item copydesk.OpenAsk
---@return boolean
local function is_open(item)
  return vim.list_contains(require("copydesk.ask").list(), item)
end

--- A question with the name of the subagent that asks it, if it is one.
---@param asked copydesk.QuestionAskParams
---@param question copydesk.QuestionInfo
---@return string
function M.signed(asked, question)
  return asked.agent and ("%s: %s"):format(asked.agent, question.text) or question.text
end

--- Lets the user choose one option.
---@param question copydesk.QuestionInfo
---@param chosen table<string, boolean>
---@param prompt string
---@return copydesk.QuestionOptionInfo|string|nil
local function choose(question, chosen, prompt)
  local items = vim.list_slice(question.options) ---@type (copydesk.QuestionOptionInfo|string)[]
  if question.custom then
    items[#items + 1] = OWN
  end
  if question.multiple then
    items[#items + 1] = DONE
  end
  return (pick.select(items, {
    prompt = prompt,
    kind = "question",
    label = function(item)
      if type(item) == "string" then
        return item
      end
      local mark = question.multiple and (chosen[item.label] and "[x] " or "[ ] ") or ""
      local more = item.description and item.description ~= "" and ": " .. item.description or ""
      return mark .. item.label .. more
    end,
  }))
end

--- The user's answer to one question.
---@param question copydesk.QuestionInfo
---@param prompt string
---@return string[]? answer
local function ask_one(question, prompt)
  if #question.options == 0 then
    local own = pick.input(prompt .. " ")
    return own and { own }
  end
  local chosen, answers = {}, {}
  while true do
    local choice = choose(question, chosen, prompt)
    if not choice then
      return nil
    elseif choice == DONE then
      return answers
    end
    local answer
    if choice == OWN then
      answer = pick.input(prompt .. " ")
    else
      answer = choice.label
    end
    if answer and not question.multiple then
      return { answer }
    elseif answer and chosen[answer] then
      chosen[answer] = nil
      answers = vim.tbl_filter(function(other)
        return other ~= answer
      end, answers)
    elseif answer then
      chosen[answer] = true
      answers[#answers + 1] = answer
    elseif not question.multiple then
      return nil
    end
  end
end

--- Asks all questions of an item, and sends the answers to the daemon.
---@param item copydesk.OpenAsk
function M.answer(item)
  require("copydesk.await").run(function()
    local answers = {}
    for number, question in ipairs(item.question.questions) do
      local count = #item.question.questions
      local which = count > 1 and (" (%d of %d)"):format(number, count) or ""
      local answer = ask_one(question, M.signed(item.question, question) .. which)
      if not is_open(item) then
        return require("copydesk.message").info("the question no longer needs an answer")
      elseif not answer then
        return
      end
      answers[number] = answer
    end
    item.reply({ reply = "answered", answers = answers })
  end)
end

return M
