--- Draws a part: lines of Markdown with extmarks.
---
--- Contract: pure; the same part gives the same block. A block begins with a blank line unless it continues the one before.
--- Text of a model or a tool is shown as it is: it cannot end our fences or fake our marks.

local changed = require("copydesk.chat.changed")
local markdown = require("copydesk.chat.markdown")
local summary = require("copydesk.chat.summary")

local M = {}

---@class copydesk.Mark
---@field row integer From 0, within the block.
---@field col integer
---@field end_row? integer
---@field end_col? integer
---@field options table As for `nvim_buf_set_extmark`.

---@class copydesk.Block
---@field lines string[]
---@field marks copydesk.Mark[]
---@field fold? integer[] The first and last row that fold together, from 0.
---@field kind string Its kind, for the block after it.
---@field tail? integer How many rows at its end matter most.
---@field asks? { item: copydesk.OpenAsk, first: integer, last: integer }[] The open asks with their rows.
---@field scan? copydesk.MarkdownScan How far its Markdown is concealed.
---@field grows? boolean Its last line is the end of a text that still grows.

--- How many lines of detail a fold holds; the session's log has the rest.
local MAX_LINES = 400
--- A longer note is folded.
local LONG_NOTE = 9

---@param lines string[]
---@param text string
local function add_lines(lines, text)
  for line in vim.gsplit(text, "\n", { plain = true }) do
    lines[#lines + 1] = (line:gsub("\r$", ""))
  end
end

--- A fence that the text cannot end.
---@param text string
---@return string
local function fence_for(text)
  local longest = 2
  for run in text:gmatch("`+") do
    longest = math.max(longest, #run)
  end
  return ("`"):rep(longest + 1)
end

--- Adds a text in a fence, and returns the row of its first line.
---@param block copydesk.Block
---@param text string
---@param language string
---@return integer first
function M.fenced(block, text, language)
  local fence = fence_for(text)
  local lines = {}
  add_lines(lines, (text:gsub("\n$", "")))
  local omitted = #lines - MAX_LINES
  block.lines[#block.lines + 1] = fence .. language
  local first = #block.lines
  vim.list_extend(block.lines, lines, 1, math.min(#lines, MAX_LINES))
  if omitted > 0 then
    block.lines[#block.lines + 1] = ("… %d more lines"):format(omitted)
  end
  block.lines[#block.lines + 1] = fence
  for _, row in ipairs({ first - 1, #block.lines - 1 }) do
    markdown.hide(block, row, 0, #block.lines[row + 1])
  end
  return first
end

--- Highlights a whole line.
---@param block copydesk.Block
---@param row integer
---@param group string
function M.mark(block, row, group)
  block.marks[#block.marks + 1] =
    { row = row, col = 0, options = { end_col = #block.lines[row + 1], hl_group = group, hl_mode = "combine" } }
end

--- Adds a diff, highlighted. Omits the file names: the line above it has them.
---@param block copydesk.Block
---@param diff string
function M.diff(block, diff)
  local first = M.fenced(block, (diff:gsub("^%-%-%- [^\n]*\n%+%+%+ [^\n]*\n", "")), "diff")
  for row = first, #block.lines - 2 do
    local line = block.lines[row + 1]
    local group = line:match("^%+") and "CopydeskAdded" or line:match("^%-") and "CopydeskRemoved"
    if group then
      M.mark(block, row, group)
    elseif line:match("^@@") then
      M.mark(block, row, "CopydeskDim")
    end
  end
end

--- Adds the diffs of a call; with several files, each below its file's name. Returns false if there are none.
---@param block copydesk.Block
---@param metadata? copydesk.CallMetadata|copydesk.PermissionAskMetadata
---@return boolean
function M.diffs(block, metadata)
  local edit = metadata --[[@as copydesk.FileEditMetadata]]
  if type(edit) == "table" and type(edit.diff) == "string" and edit.diff ~= "" then
    M.diff(block, edit.diff)
    return true
  end
  local several = metadata --[[@as copydesk.MultiFileEditMetadata]]
  local files = type(several) == "table" and several.files and changed.files(several) or {}
  for number, file in ipairs(files) do
    if #block.lines > MAX_LINES then
      block.lines[#block.lines + 1] = ("… %d more files"):format(#files - number + 1)
      break
    end
    block.lines[#block.lines + 1] = changed.heading(file)
    if file.diff and file.diff ~= "" then
      M.diff(block, file.diff)
    end
  end
  return #files > 0
end

---@param part copydesk.PartInfo
---@param block copydesk.Block
local function prompt(part, block)
  block.lines = { "", "## You", "" }
  add_lines(block.lines, part.content.text)
  for _, name in ipairs(part.content.context or {}) do
    block.lines[#block.lines + 1] = ("With %s"):format((name:gsub("%c+", " ")))
    M.mark(block, #block.lines - 1, "CopydeskDim")
  end
  local time = os.date("%H:%M", math.floor(part.created / 1000))
  local said = part.content.steers and "You, meanwhile" or "You"
  block.marks[#block.marks + 1] = {
    row = 1,
    col = 0,
    options = {
      virt_text = { { ("▌ %s  "):format(said), "CopydeskYou" } },
      virt_text_pos = "overlay",
    },
  }
  block.marks[#block.marks + 1] = { row = 1, col = 0, options = { virt_text = { { time, "CopydeskDim" } }, virt_text_pos = "right_align" } }
end

--- Whether text can be appended to the last drawn line. (A trailing CR, half of a line end, is not drawn.)
---@param part copydesk.PartInfo
---@return boolean
local function can_grow(part)
  return part.content.text:sub(-1) ~= "\r"
end

---@param part copydesk.PartInfo
---@param block copydesk.Block
local function text(part, block)
  block.lines = { "" }
  local is_running = part.state.kind == "running"
  block.grows = is_running and can_grow(part)
  -- While the text streams, trailing blank lines may be followed by more.
  add_lines(block.lines, is_running and part.content.text or (part.content.text:gsub("%s+$", "")))
  markdown.conceal(block)
  if not is_running and #block.lines == 2 and block.lines[2] == "" then
    block.lines = {}
  elseif part.state.kind == "interrupted" then
    local options = { virt_text = { { " … cut off", "CopydeskError" } }, virt_text_pos = "inline" }
    block.marks[#block.marks + 1] = { row = #block.lines - 1, col = #block.lines[#block.lines], options = options }
  end
end

---@param part copydesk.PartInfo
---@param block copydesk.Block
---@param before? string
local function reasoning(part, block, before)
  if before ~= "call" then
    block.lines = { "" }
  end
  local is_running = part.state.kind == "running" or part.state.kind == "pending"
  local took = is_running and "" or " for " .. summary.duration(math.max(0, part.updated - part.created))
  block.lines[#block.lines + 1] = (is_running and "Thinking" or "Thought") .. took
  local header = #block.lines - 1
  block.grows = is_running and can_grow(part)
  add_lines(block.lines, is_running and part.content.text or (part.content.text:gsub("%s+$", "")))
  block.marks[1] = {
    row = header,
    col = 0,
    end_row = #block.lines - 1,
    end_col = #block.lines[#block.lines],
    options = { hl_group = "CopydeskDim", end_right_gravity = true, hl_mode = "combine" },
  }
  if not require("copydesk.config").get().chat.show_reasoning then
    block.fold = { header, #block.lines - 1 }
  end
  block.kind = "call"
end

--- Calls whose duration says nothing: they wait for the user or take no time.
local timeless = { todowrite = true, todoread = true, question = true, plan_enter = true, plan_exit = true, skill = true }

--- The highlight of each state of a call.
---@type table<string, string>
M.groups = {
  pending = "CopydeskRunning",
  running = "CopydeskRunning",
  completed = "CopydeskDone",
  error = "CopydeskError",
  interrupted = "CopydeskError",
}

---@param block copydesk.Block
---@param call copydesk.CallInfo
---@param state copydesk.PartStateInfo
local function details(block, call, state)
  local output = call.output
  if call.name == "task" and output then
    -- The answer only; the list of changes shows the edits.
    M.fenced(block, output.output, "")
    return
  end
  local shown = output and output.metadata or call.progress
  ---@type copydesk.CallMetadata
  shown = type(shown) == "table" and shown or {}
  local command = shown --[[@as copydesk.CommandMetadata]]
  if call.name == "bash" then
    local script = summary.arguments(call).command
    if type(script) == "string" then
      M.fenced(block, script, "sh")
    end
  end
  local said = output and output.output or command.output
  -- A diff tells more than the tool's output.
  if not M.diffs(block, shown) and type(said) == "string" and said ~= "" then
    local is_page = call.name == "webfetch" and output and not output.isError
    M.fenced(block, said, is_page and "markdown" or "")
  end
  if state.kind == "error" and not output then
    M.fenced(block, state.message, "")
  end
end

---@param part copydesk.PartInfo
---@param block copydesk.Block
---@param before? string
local function call(part, block, before)
  if before ~= "call" then
    block.lines = { "" }
  end
  local made = part.content --[[@as copydesk.CallInfo]]
  local state = summary.state(part)
  local icon = require("copydesk.config").get().icons[state] or "·"
  -- A call inside a `batch` is indented.
  local indent = made.parent and "  " or ""
  block.lines[#block.lines + 1] = ("%s%s %s"):format(indent, icon, summary.of(part))
  local header = #block.lines - 1
  local options = { end_col = #indent + #icon, hl_group = M.groups[state], hl_mode = "combine" }
  block.marks[#block.marks + 1] = { row = header, col = #indent, options = options }
  if made.output and not timeless[made.name] then
    -- Inline, because it must cover nothing, and a closed fold shows no text behind the end of the line.
    local took = { "  " .. summary.duration(made.output.milliseconds), "CopydeskDim" }
    local place = { virt_text = { took }, virt_text_pos = "inline" }
    block.marks[#block.marks + 1] = { row = header, col = #block.lines[#block.lines], options = place }
  end
  local todo = require("copydesk.chat.todo")
  local todos = part.state.kind ~= "error" and todo.lines(made) or nil
  if todos then
    vim.list_extend(block.lines, todos)
    -- A new list stays unfolded; if only statuses changed, the line above is enough.
    if todo.is_new(made) then
      return
    end
  else
    details(block, made, part.state)
  end
  block.fold = #block.lines - 1 > header and { header, #block.lines - 1 } or nil
  -- Problems show without unfolding.
  require("copydesk.chat.problems").add(block, made.output and made.output.metadata, false)
end

---@param block copydesk.Block
---@param words string
---@param group string
local function remark(block, words, group)
  block.lines = { "" }
  add_lines(block.lines, words)
  for row = 1, #block.lines - 1 do
    M.mark(block, row, group)
  end
end

--- An image or a PDF of a prompt, in a line; with the reason if the model does not get it.
---@param part copydesk.PartInfo
---@return string
function M.file(part)
  local name = part.content.name or "a file"
  local words = ("With %s (%s)"):format(name, part.content.mime)
  if part.state.kind == "error" then
    words = ("%s is not sent: %s. `:Copydesk model` chooses another model."):format(name, part.state.message)
  end
  return (words:gsub("%c+", " "))
end

--- How a turn ended that the model did not finish.
---@type table<string, fun(ended: copydesk.TurnEndInfo): string>
local endings = {
  cancelled = function()
    return "Stopped."
  end,
  rejected = function()
    return "Stopped, because you rejected the call. Tell the agent what to do instead."
  end,
  stepLimit = function(ended)
    return ("Stopped after %d steps. Say “continue” to go on."):format(ended.steps or 0)
  end,
  failed = function(ended)
    return ("The turn failed: %s"):format(ended.message or "")
  end,
  interrupted = function()
    return "Cut off here: the turn did not end. Say “continue” to go on."
  end,
}

---@type table<string, fun(part: copydesk.PartInfo, block: copydesk.Block, before?: string)>
local kinds = {
  prompt = prompt,
  text = text,
  reasoning = reasoning,
  call = call,
  file = function(part, block)
    block.lines = { M.file(part) }
    M.mark(block, 0, part.state.kind == "error" and "CopydeskError" or "CopydeskDim")
  end,
  retry = function(part, block)
    remark(block, ("Attempt %d: %s"):format(part.content.attempt, part.content.message), "CopydeskError")
  end,
  compaction = function(part, block)
    local done = part.content
    local before, after = done.tokensBefore, done.tokensAfter
    if part.state.kind == "running" then
      remark(block, ("Summing up the conversation, of about %d tokens …"):format(before), "CopydeskDim")
      return
    end
    local author = done.model and "by " .. done.model or "by rule"
    local why = done.failure and (" (%s)"):format(done.failure) or ""
    local head = ("Summed up %s: about %d tokens are now %d%s. Nothing is removed here; the agent reads this instead:"):format(
      author, before, after, why)
    remark(block, head .. "\n" .. done.summary, "CopydeskDim")
    block.fold = { 2, #block.lines - 1 }
  end,
  pruning = function(part, block)
    local done = part.content
    remark(block, ("Left out %d old outputs for the agent: about %d tokens are now %d. Nothing is removed here."):format(
      done.outputs, done.tokensBefore, done.tokensAfter), "CopydeskDim")
  end,
  turnEnd = function(part, block)
    local ended = part.content["end"]
    local words = ended and endings[ended.kind]
    if words then
      local is_bad = ended.kind == "failed" or ended.kind == "interrupted"
      remark(block, words(ended), is_bad and "CopydeskError" or "CopydeskDim")
    end
  end,
  note = function(part, block)
    remark(block, part.content.text, "CopydeskDim")
    -- Its first lines tell what it is about.
    if #block.lines > LONG_NOTE then
      block.fold = { 2, #block.lines - 1 }
    end
  end,
}

--- Removes the blank line above the first block.
---@param block copydesk.Block
local function drop_first(block)
  table.remove(block.lines, 1)
  for _, mark in ipairs(block.marks) do
    mark.row = mark.row - 1
    mark.end_row = mark.end_row and mark.end_row - 1
  end
  if block.fold then
    block.fold = { block.fold[1] - 1, block.fold[2] - 1 }
  end
  if block.scan then
    block.scan.row = block.scan.row - 1
  end
end

--- Draws a part. `before` is the kind of the block before it.
---@param part copydesk.PartInfo
---@param before? string
---@return copydesk.Block
function M.part(part, before)
  local block = { lines = {}, marks = {}, kind = part.content.kind }
  local draw = kinds[part.content.kind]
  if draw then
    draw(part, block, before)
  end
  if not before and block.lines[1] == "" then
    drop_first(block)
  end
  return block
end

--- Draws the prompts queued for the model.
---@param prompts { text: string }[]
---@return copydesk.Block
function M.waiting(prompts)
  local block = { lines = {}, marks = {}, kind = "waiting" }
  for _, prompt in ipairs(prompts) do
    block.lines[#block.lines + 1] = ""
    local first = #block.lines
    add_lines(block.lines, "Queued: " .. prompt.text)
    for row = first, #block.lines - 1 do
      M.mark(block, row, "CopydeskDim")
    end
  end
  return block
end

return M
