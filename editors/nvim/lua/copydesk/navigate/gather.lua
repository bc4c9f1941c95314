--- Sends several requests to servers at once.
---
--- Contract: returns when all have responded, when one response is enough, or at the deadline, and then cancels the open ones. A
--- server that exits counts as having responded with an error.

local server = require("copydesk.server")
local signal = require("copydesk.signal")

local M = {}

---@class copydesk.AskedServer A request, and its response once there is one.
---@field client vim.lsp.Client
---@field method string
---@field params table
---@field was_loading? boolean The server still loaded the project when it was asked.
---@field is_answered? boolean
---@field problem? lsp.ResponseError
---@field result? any

--- Stores the responses in the questions. Call it in a coroutine.
---@param questions copydesk.AskedServer[]
---@param buffer? integer
---@param deadline number
---@param is_enough? fun(question: copydesk.AskedServer): boolean
function M.gather(questions, buffer, deadline, is_enough)
  local timer, cancels = assert(vim.uv.new_timer()), {}
  local stop_listening
  require("copydesk.await").await(function(done)
    local open = #questions
    local function answered(question, problem, result)
      if question.is_answered then
        return
      end
      question.is_answered, question.problem, question.result = true, problem, result
      open = open - 1
      if open == 0 or is_enough and is_enough(question) then
        done()
      end
    end
    timer:start(math.max(1, math.ceil(deadline - signal.now())), 0, function()
      done()
    end)
    stop_listening = signal.listen(function()
      for _, question in ipairs(questions) do
        if server.is_stopped(question.client) then
          answered(question, { code = -32803, message = "the language server has ended" })
        end
      end
    end)
    for _, question in ipairs(questions) do
      question.was_loading = require("copydesk.navigate.loading").is_loading(question.client)
      local client, method, params = question.client, question.method, question.params
      local cancel = server.request(client, method, params, buffer, function(problem, result)
        answered(question, problem, result)
      end)
      cancels[#cancels + 1] = cancel
    end
    if open == 0 then
      done()
    end
  end)
  stop_listening()
  timer:stop()
  timer:close()
  for _, cancel in ipairs(cancels) do
    cancel()
  end
end

return M
