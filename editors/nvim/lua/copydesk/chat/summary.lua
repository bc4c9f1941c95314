--- A call in one line: what it does and to what, from what is known so far.
---
--- Contract: changes nothing; never throws, whatever arguments a model wrote; the line has no line breaks and a capped length.

local M = {}

--- How much of streaming arguments is parsed.
local MAX_PARSED_BYTES = 4096
local MAX_SUMMARY_CHARS = 160

--- The most telling argument of each tool.
local telling = {
  read = "filePath",
  write = "filePath",
  edit = "filePath",
  multiedit = "filePath",
  list = "path",
  glob = "pattern",
  grep = "pattern",
  bash = "command",
  task = "description",
  webfetch = "url",
  websearch = "query",
  codesearch = "query",
  skill = "name",
  invalid = "tool",
}

--- Tools whose title is an operation and its object.
local is_about_code = { lsp = true, refactor = true }

--- The arguments that are paths.
local is_path = { filePath = true, path = true }

---@param text string
---@return string
local function line(text)
  text = vim.trim((text:gsub("%c+", " ")))
  if vim.fn.strchars(text) <= MAX_SUMMARY_CHARS then
    return text
  end
  return vim.fn.strcharpart(text, 0, MAX_SUMMARY_CHARS - 1) .. "…"
end

--- The arguments, as far as they parse.
---@param call copydesk.CallInfo
---@return table
function M.arguments(call)
  local went, arguments = pcall(vim.json.decode, call.arguments, { luanil = { object = true } })
  return went and type(arguments) == "table" and arguments or {}
end

--- A path below the folder of the conversation is shown as the result of the call will show it.
---@param path string
---@return string
local function relative(path)
  local folder = require("copydesk.context").folder()
  return vim.startswith(path, folder .. "/") and path:sub(#folder + 2) or path
end

--- The first file that a patch names, and how many more. Also reads a patch that still streams.
---@param text string
---@return string
local function patched(text)
  local first, more = nil, 0
  for path in text:gmatch("%*%*%* %u%l+ File: ([^\n\r\\\"]+)") do
    if first then
      more = more + 1
    end
    first = first or path
  end
  first = first and relative(first)
  return more > 0 and ("%s and %d more"):format(first, more) or first or ""
end

---@param call copydesk.CallInfo
---@return string
local function from_arguments(call)
  local name = telling[call.name]
  if call.name == "apply_patch" then
    return patched(call.arguments:sub(1, MAX_PARSED_BYTES))
  end
  if #call.arguments > MAX_PARSED_BYTES and not call.output then
    local pattern = name and ('"%s"%%s*:%%s*"([^"]*)"'):format(name)
    local found = pattern and call.arguments:sub(1, MAX_PARSED_BYTES):match(pattern) or ""
    return ("%s (%d kB so far)"):format(is_path[name] and relative(found) or found, math.floor(#call.arguments / 1024))
  end
  local arguments = M.arguments(call)
  if is_about_code[call.name] then
    local object = arguments.symbol or arguments.filePath or ""
    return vim.trim(("%s %s"):format(tostring(arguments.operation or ""), relative(tostring(object))))
  end
  local told = name and arguments[name]
  if told == nil and not name then
    -- A tool of another program: the first text in the order of the names, so that it stays the same at every drawing.
    local names = vim.tbl_filter(function(key)
      return type(key) == "string" and type(arguments[key]) == "string"
    end, vim.tbl_keys(arguments))
    table.sort(names)
    told = arguments[names[1]]
  end
  if type(told) ~= "string" then
    return ""
  end
  return is_path[name] and relative(told) or told
end

--- A size in readable form.
---@param bytes integer
---@return string
function M.size(bytes)
  if bytes < 1000 then
    return ("%d B"):format(bytes)
  elseif bytes < 1000000 then
    return ("%.1f kB"):format(bytes / 1000)
  end
  return ("%.1f MB"):format(bytes / 1000000)
end

--- The progress of a task: agent, calls, cost.
---@param call copydesk.CallInfo
---@return string
local function from_task(call)
  local shown = (call.output and call.output.metadata or call.progress) --[[@as copydesk.TaskMetadata?]]
  local calls = type(shown) == "table" and tonumber(shown.calls)
  if not calls then
    return ""
  end
  local words = { ("%d call%s"):format(calls, calls == 1 and "" or "s") }
  local cost = tonumber(shown.cost) or 0
  if call.output and cost > 0 then
    words[2] = cost < 0.01 and "<$0.01" or ("$%.2f"):format(cost)
  elseif not call.output then
    table.insert(words, 1, type(shown.agent) == "string" and shown.agent or "agent")
    words[#words + 1] = type(shown.now) == "string" and shown.now or nil
  end
  return table.concat(words, " · ")
end

---@param call copydesk.CallInfo
---@return string
local function from_metadata(call)
  if call.name == "task" then
    return from_task(call)
  end
  local progress = call.progress --[[@as copydesk.CodePlacesMetadata?]]
  if not call.output and type(progress) == "table" and type(progress.waiting) == "string" then
    return progress.waiting
  end
  local metadata = call.output and call.output.metadata
  if type(metadata) ~= "table" then
    return ""
  end
  local page = metadata --[[@as copydesk.TextPageMetadata]]
  local web = metadata --[[@as copydesk.WebPageMetadata]]
  local lines = metadata --[[@as copydesk.TextSearchMetadata]]
  local files = metadata --[[@as copydesk.FileListMetadata|copydesk.WebSearchMetadata]]
  local command = metadata --[[@as copydesk.CommandMetadata]]
  local first, last, total = tonumber(page.first), tonumber(page.last), tonumber(page.total)
  local found = tonumber(lines.matches) or tonumber(files.count)
  if call.name == "webfetch" and tonumber(web.bytes) then
    return M.size(web.bytes)
  elseif call.name == "read" and first and last then
    local more = total and total > last and (" of %d"):format(total) or ""
    return ("lines %d–%d%s"):format(first, last, more)
  elseif found then
    return ("%d found%s"):format(found, lines.truncated == true and ", there are more" or "")
  end
  local words = {}
  if type(command.exit) == "number" and command.exit ~= 0 then
    words[1] = ("exit code %d"):format(command.exit)
  elseif type(command.signal) == "number" then
    words[1] = ("ended by signal %d"):format(command.signal)
  end
  local note = type(command.sandboxNote) == "string" and command.sandboxNote or nil
  if command.sandboxed == true then
    words[#words + 1] = note or "sandboxed"
  elseif command.sandboxed == false then
    words[#words + 1] = "not sandboxed" .. (note and ": " .. note or "")
  end
  return table.concat(words, ", ")
end

--- A duration in readable form.
---@param milliseconds integer
---@return string
function M.duration(milliseconds)
  if milliseconds < 1000 then
    return ("%d ms"):format(milliseconds)
  elseif milliseconds < 60000 then
    return ("%.1f s"):format(milliseconds / 1000)
  end
  return ("%d min %d s"):format(math.floor(milliseconds / 60000), math.floor(milliseconds % 60000 / 1000))
end

--- The state of a call, as it is shown: a command that failed is no success, although the call is complete.
---@param part copydesk.PartInfo
---@return string
function M.state(part)
  local output = part.content.output
  local command = output and output.metadata --[[@as copydesk.CommandMetadata]]
  local has_failed = type(command) == "table" and type(command.exit) == "number" and command.exit ~= 0
  return (output and output.isError or has_failed) and "error" or part.state.kind
end

--- The summary of a call.
---@param part copydesk.PartInfo
---@return string
function M.of(part)
  local call = part.content --[[@as copydesk.CallInfo]]
  local title = call.output and call.output.title or ""
  if vim.startswith(call.name, "todo") and call.output and not call.output.isError then
    return line(require("copydesk.chat.todo").summary(call))
  end
  if call.output and call.output.isError then
    -- The title says what went wrong, often not with what.
    local subject = from_arguments(call)
    local is_told = subject == "" or title:find(subject, 1, true)
    return line(("%s %s%s"):format(call.name, is_told and "" or subject .. " · ", title))
  end
  -- The title of a change begins with a verb; other titles only name the object.
  local telling_by = telling[call.name]
  local is_whole = telling_by ~= "url" and telling_by ~= "query" and title:match("^%u%l+ed ")
    or title:match("^%u%l+ ") and telling_by == "filePath"
  local words = { is_whole and title or call.name }
  if not is_whole then
    words[#words + 1] = title ~= "" and title or from_arguments(call)
  end
  local more = from_metadata(call)
  if more ~= "" then
    words[#words + 1] = "· " .. more
  end
  return line(table.concat(words, " "))
end

return M
