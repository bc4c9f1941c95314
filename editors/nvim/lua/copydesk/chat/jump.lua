--- Jumps from the conversation to the code that the line under the cursor names.
---
--- Contract: opens files only in document windows; says so if the line names nothing.

local changed = require("copydesk.chat.changed")
local summary = require("copydesk.chat.summary")
local transcript = require("copydesk.chat.transcript")

local M = {}

---@class copydesk.CodeLocation
---@field path string
---@field line? integer From 1.
---@field column? integer From 1, in UTF-16 code units.

---@param path any
---@param folder? string
---@return string?
local function absolute(path, folder)
  if type(path) ~= "string" or path == "" then
    return nil
  end
  if path:sub(1, 1) ~= "/" then
    path = vim.fs.joinpath(folder or vim.fn.getcwd(), path)
  end
  return vim.fs.normalize(path, { expand_env = false })
end

--- The line of the new text that a row of a diff shows.
---@param lines string[]
---@param row integer From 1; somewhere in a diff.
---@return integer?
local function line_in_diff(lines, row)
  -- A removed line maps to the line that follows it in the new text.
  local count = lines[row]:match("^%-") and 1 or 0
  for number = row, 1, -1 do
    local first = lines[number]:match("^@@ %-%S+ %+(%d+)")
    if first then
      return tonumber(first) + math.max(count - 1, 0)
    elseif not lines[number]:match("^%-") then
      count = count + 1
    end
  end
end

--- The first line that a diff changes.
---@param lines string[]
---@return integer?
local function first_in_diff(lines)
  for number, line in ipairs(lines) do
    if line:match("^[+-]") and not line:match("^%+%+%+") and not line:match("^%-%-%-") then
      return line_in_diff(lines, number)
    end
  end
end

--- The place of a search hit: its row, or a row below the name of its file.
---@param lines string[]
---@param row integer
---@param folder? string
---@return copydesk.CodeLocation?
local function place_in_hits(lines, row, folder)
  local path, line = lines[row]:match("^(.-):(%d+)[: ]")
  if path and absolute(path, folder) and vim.uv.fs_stat(absolute(path, folder)) then
    return { path = absolute(path, folder), line = tonumber(line) }
  end
  line = lines[row]:match("^%s*Line (%d+)") or lines[row]:match("^%s*(%d+):")
  for number = row, 1, -1 do
    local name = absolute(lines[number]:gsub(":$", ""), folder)
    if name and not lines[number]:match("^%s") and vim.uv.fs_stat(name) then
      return { path = name, line = tonumber(line) }
    end
  end
end

--- The place of a diagnostic in a note to the model.
---@param line string
---@param folder? string
---@return copydesk.CodeLocation?
local function place_in_note(line, folder)
  local path, number, column = line:match("^(%S.-):(%d+):(%d+) ")
  path = absolute(path, folder)
  return path and vim.uv.fs_stat(path) and { path = path, line = tonumber(number), column = tonumber(column) } or nil
end

--- The place in the file whose diff or heading holds the row; the first file for rows above all of them.
---@param files copydesk.ChangedFile[]
---@param lines string[]
---@param row integer
---@param folder? string
---@return copydesk.CodeLocation?
local function place_in_files(files, lines, row, folder)
  for number = row, 1, -1 do
    for _, file in ipairs(files) do
      if lines[number] == changed.heading(file) then
        local below = vim.list_slice(lines, number + 1)
        local line = row > number and line_in_diff(below, row - number) or first_in_diff(below)
        return { path = absolute(file.path, folder), line = line }
      end
    end
  end
  local first = vim.split(files[1].diff or "", "\n")
  return { path = absolute(files[1].path, folder), line = first_in_diff(first) }
end

--- The place that a row names.
---@param part copydesk.PartInfo
---@param lines string[] The lines of its block.
---@param row integer From 1, in the block.
---@param folder? string
---@return copydesk.CodeLocation?
function M.place(part, lines, row, folder)
  local call = part.content --[[@as copydesk.CallInfo]]
  if call.kind == "note" then
    return place_in_note(lines[row], folder)
  elseif call.kind ~= "call" then
    return nil
  end
  local arguments = summary.arguments(call)
  ---@type copydesk.CallMetadata
  local metadata = call.output and type(call.output.metadata) == "table" and call.output.metadata or {}
  local problem = require("copydesk.chat.problems").at(metadata, lines[row])
  if problem then
    return { path = absolute(problem.path, folder), line = problem.line, column = problem.column }
  end
  if type(metadata.places) == "table" then
    -- The file of the question is not that of the answer.
    return place_in_hits(lines, row, folder)
  end
  local files = changed.files(metadata)
  if #files > 1 then
    return place_in_files(files, lines, row, folder)
  end
  local edit = metadata --[[@as copydesk.FileEditMetadata]]
  local page = metadata --[[@as copydesk.TextPageMetadata]]
  local path = absolute(edit.filepath or arguments.filePath, folder)
  if path and type(edit.diff) == "string" then
    return { path = path, line = line_in_diff(lines, row) or first_in_diff(lines) }
  elseif path then
    local line = lines[row]:match("^%s*(%d+)[:|]") or page.first or arguments.offset
    return { path = path, line = tonumber(line) }
  end
  return place_in_hits(lines, row, folder)
end

--- The session of a `task` call's subagent.
---@param part copydesk.PartInfo
---@return string?
function M.session(part)
  local call = part.content --[[@as copydesk.CallInfo]]
  if call.kind ~= "call" or call.name ~= "task" then
    return nil
  end
  local shown = (call.output and call.output.metadata or call.progress) --[[@as copydesk.TaskMetadata?]]
  if type(shown) == "table" and type(shown.session) == "string" then
    return shown.session
  elseif part.state.kind == "interrupted" then
    -- Only the call's id is left, and the session has the same one.
    local resumed = summary.arguments(call).task_id
    return type(resumed) == "string" and resumed or part.id
  end
end

--- Opens another session in the conversation.
---@param id string
function M.visit(id)
  require("copydesk.session").open(id, function(problem)
    if problem then
      require("copydesk.message").error(problem)
    end
  end)
end

--- Opens the parent of the session in the conversation.
function M.parent()
  local view = require("copydesk.session").view(transcript.shown())
  if view and view.session.parent then
    M.visit(view.session.parent)
  else
    require("copydesk.message").info("this session has no parent session")
  end
end

--- The byte offset of a column in a line of the current buffer.
---@param line integer From 1.
---@param column integer From 1, in UTF-16 code units.
---@return integer
local function byte_of(line, column)
  local position = require("copydesk.position")
  local lines = position.lines_of(vim.api.nvim_get_current_buf())
  local place = { line = line - 1, character = column - 1 }
  return position.position(place, lines, "utf-16", "utf-8").character
end

--- Shows a place in the current window.
---@param place copydesk.CodeLocation
---@return string? problem
function M.show(place)
  if vim.api.nvim_buf_get_name(0) ~= place.path then
    local options = { args = { place.path }, magic = { file = false, bar = false }, mods = { silent = true } }
    local went, problem = pcall(vim.cmd.edit, options)
    if not went then
      return (tostring(problem):gsub("^.-:E", "E"))
    end
  end
  if place.line then
    local last = vim.api.nvim_buf_line_count(0)
    local line = math.max(1, math.min(math.floor(place.line), last))
    vim.api.nvim_win_set_cursor(0, { line, byte_of(line, place.column or 1) })
    vim.cmd("normal! zvzz")
  end
end

--- Goes to a place in a document window.
---@param place copydesk.CodeLocation
function M.go(place)
  local window = require("copydesk.chat").origin()
  if not window then
    vim.cmd("topleft vsplit")
    window = vim.api.nvim_get_current_win()
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  local problem = M.show(place)
  if problem then
    require("copydesk.message").error(problem)
  end
end

--- Acts on the row under the cursor: goes to a place or a task's session, loads earlier parts, answers a question.
function M.here()
  if vim.api.nvim_get_current_buf() ~= transcript.buffer() then
    -- The float shows a single ask.
    local item = require("copydesk.chat.float").item()
    return item and item.kind == "question" and require("copydesk.question").answer(item)
  end
  local row = vim.api.nvim_win_get_cursor(0)[1]
  local view = require("copydesk.session").view(transcript.shown())
  if not view then
    return
  end
  if row == 1 and view.earlier then
    return require("copydesk.session").load_earlier(view)
  end
  local block, within = transcript.at(row - 1)
  if not block then
    return
  end
  if not block.part then
    local item = require("copydesk.chat.visible_asks").at(row - 1) or require("copydesk.ask").list(view.id)[1]
    if item and item.kind == "question" then
      require("copydesk.question").answer(item)
    end
    return
  end
  local part = view.parts[view.at[block.part] or 0]
  -- The first line of a block may be the blank one above it.
  local is_head = within == (block.lines[1] == "" and 1 or 0)
  local session = part and is_head and M.session(part)
  if session then
    return M.visit(session)
  end
  local place = part and M.place(part, block.lines, within + 1, view.session.folder)
  if place then
    M.go(place)
  elseif block.fold then
    vim.cmd("silent! normal! za")
  else
    require("copydesk.message").info("this line names no place to go to")
  end
end

return M
