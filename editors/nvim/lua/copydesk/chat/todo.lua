--- The agent's to-do list as Markdown check boxes.
---
--- Contract: pure; never throws, whatever arguments a model wrote.

local M = {}

---@param metadata? copydesk.CallMetadata
---@return copydesk.TodoEntryMetadata[]
local function list(metadata)
  local written = metadata --[[@as copydesk.TodoListMetadata?]]
  return type(written) == "table" and type(written.todos) == "table" and written.todos or {}
end

--- Whether the list has other items than the previous one; else only their statuses changed.
---@param call copydesk.CallInfo
---@return boolean
function M.is_new(call)
  local written = call.output and call.output.metadata --[[@as copydesk.TodoListMetadata?]]
  return type(written) ~= "table" or written.isNew ~= false
end

--- The progress of the list, and the current item if the list itself is not shown below.
---@param call copydesk.CallInfo
---@return string
function M.summary(call)
  local words = "To do: " .. call.output.title
  for _, todo in ipairs(M.is_new(call) and {} or list(call.output.metadata)) do
    if type(todo) == "table" and todo.status == "in_progress" and type(todo.content) == "string" then
      return ("%s, now: %s"):format(words, todo.content)
    end
  end
  return words
end

--- The progress of a session's list: `2/5`. Nil if there is none or everything is done.
---@param view copydesk.View
---@return string?
function M.progress(view)
  for number = #view.parts, 1, -1 do
    local part = view.parts[number]
    local call = part.content
    if call.kind == "call" and call.name == "todowrite" and part.state.kind == "completed" and call.output then
      local done, all = 0, 0
      for _, todo in ipairs(list(call.output.metadata)) do
        local status = type(todo) == "table" and todo.status
        done = done + (status == "completed" and 1 or 0)
        all = all + (status ~= "cancelled" and 1 or 0)
      end
      return done < all and ("%d/%d"):format(done, all) or nil
    end
  end
end

local boxes = { completed = "[x]", in_progress = "[-]", cancelled = "[~]" }

--- The lines of the list that a call wrote or read; nil for other calls.
---@param call copydesk.CallInfo
---@return string[]?
function M.lines(call)
  if not vim.startswith(call.name, "todo") then
    return nil
  end
  local written = call.output and call.output.metadata --[[@as copydesk.TodoListMetadata?]]
  ---@type copydesk.TodoEntryMetadata[]?
  local todos = type(written) == "table" and written.todos
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
