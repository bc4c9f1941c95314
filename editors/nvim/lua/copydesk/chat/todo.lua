--- The list of things to do that an agent keeps, as Markdown's own check boxes.
---
--- Contract: pure; never throws, whatever a model wrote as arguments.

local M = {}

local boxes = { completed = "[x]", in_progress = "[-]", cancelled = "[~]" }

--- The lines of the list that a call has set or read; nothing where it is no such call.
---@param call copydesk.Call
---@return string[]?
function M.lines(call)
  if not vim.startswith(call.name, "todo") then
    return nil
  end
  local metadata = call.output and call.output.metadata
  local todos = type(metadata) == "table" and metadata.todos
    or require("copydesk.chat.summary").arguments(call).todos
  if type(todos) ~= "table" then
    return nil
  end
  local lines = {}
  for _, todo in ipairs(todos) do
    if type(todo) == "table" and type(todo.content) == "string" then
      local text = todo.content:gsub("%c+", " ")
      lines[#lines + 1] = ("- %s %s"):format(boxes[todo.status] or "[ ]", text)
    end
  end
  return #lines > 0 and lines or nil
end

return M
