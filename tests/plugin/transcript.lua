-- A conversation changed by random events and drawn incrementally, against the same one drawn at once; and the session's
-- view against the daemon's. Loaded after `bare.lua`.
D = {}

local session = require("copydesk.session")
local transcript = require("copydesk.chat.transcript")
local ask = require("copydesk.ask")

local state = 1
function D.seed(seed) state = seed * 7919 + 1 end

local function random(below)
  state = (state * 16807) % 2147483647
  return math.floor(state / 64) % below
end

local function one_of(list) return list[random(#list) + 1] end

-- Every frame is due at once.
local clock = 0
vim.uv.now = function()
  clock = clock + 1000
  return clock
end

local pieces = {
  "word ", "é漢", "\n", "\n", "\n\n", "\r\n", "\r", "```\n", "- item\n", " ", "a\0b", "\t", "# head\n", "🦀", ("x"):rep(300),
}

local function random_text(most)
  local text = {}
  for number = 1, random(most + 1) do text[number] = one_of(pieces) end
  return table.concat(text)
end

-- The mock daemon: one session, with all of its parts.
local daemon

local function random_state()
  local kind = one_of({ "running", "running", "pending", "completed", "error", "interrupted" })
  return { kind = kind, message = kind == "error" and "it\nbroke" or nil }
end

local contents = {
  text = function() return { kind = "text", text = random_text(5) } end,
  reasoning = function() return { kind = "reasoning", text = random_text(5) } end,
  prompt = function() return { kind = "prompt", text = "say " .. random_text(4), steers = random(3) == 0 } end,
  stepStart = function() return { kind = "stepStart", model = "a/b" } end,
  file = function() return { kind = "file", mime = "text/plain", name = one_of({ "a.txt", "a\nb%" }) } end,
  retry = function() return { kind = "retry", attempt = 1 + random(3), message = random_text(2) } end,
  note = function() return { kind = "note", text = random_text(2) } end,
  unheard = function() return { kind = "unheard" } end,
  call = function()
    local call = { kind = "call", name = one_of({ "read", "bash", "edit", "other" }), arguments = "" }
    if random(3) > 0 then call.arguments = '{"command":"ls\\nls","filePath":"a' .. random(9) .. '"}' end
    if random(2) == 0 then
      local metadata = { diff = random(2) == 0 and "--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n" .. random_text(2) or nil }
      metadata.count = one_of({ 1, 2.5, "many" })
      call.output =
        { title = random_text(1), output = random_text(6), isError = random(4) == 0, milliseconds = 7, metadata = metadata }
    end
    return call
  end,
}
local kinds = {
  "text", "text", "text", "reasoning", "reasoning", "call", "call", "call", "prompt", "stepStart", "file", "retry", "note",
  "unheard",
}

local function tell(event)
  daemon.seq = daemon.seq + 1
  -- A lost event is noticed with the next one.
  if random(40) > 0 then session.handle_event(vim.deepcopy({ session = daemon.id, seq = daemon.seq, event = event })) end
end

local function add_part()
  daemon.made = daemon.made + 1
  local part = { id = ("part%d"):format(daemon.made), state = random_state(), created = daemon.made, updated = random(9000) }
  part.content = contents[one_of(kinds)]()
  daemon.parts[#daemon.parts + 1] = part
  tell({ event = "part", part = part })
end

-- The last parts change more often than others.
local function some_part()
  local count = #daemon.parts
  return daemon.parts[random(2) == 0 and count or math.max(1, count - random(8))]
end

local function add_ask(is_question)
  daemon.made = daemon.made + 1
  local item = "ask" .. daemon.made
  daemon.asks[#daemon.asks + 1] = item
  coroutine.wrap(function()
    if is_question then
      local questions = { { text = random_text(2), options = { { label = "a\nb" } } } }
      return ask.question({ session = daemon.id, question = item, questions = questions })
    end
    local metadata = random(2) == 0 and { command = random_text(3) } or { diff = random_text(3) }
    local title, always = "run " .. random_text(2), random(2) == 0 and { "ls *" } or {}
    return ask.permission({
      session = random(5) > 0 and daemon.id or "another", ask = item, title = title, patterns = {}, always = always,
      key = "bash", metadata = metadata,
    })
  end)()
end

local ends = {
  { kind = "done" }, { kind = "cancelled" }, { kind = "failed", message = "a\nb" }, { kind = "stepLimit", steps = 3 },
}

-- What may happen; the first most often.
local deeds = {
  function()
    local part = some_part()
    local field = part and ({ text = "text", reasoning = "text", call = "arguments" })[part.content.kind]
    if field then
      local text = random_text(3)
      part.content[field] = part.content[field] .. text
      tell({ event = "delta", part = part.id, text = text })
    end
  end,
  add_part,
  function()
    local part = some_part()
    if part then
      part.state = random_state()
      if random(3) == 0 then part.content = contents[part.content.kind]() end
      tell({ event = "part", part = part })
    end
  end,
  function()
    local part = some_part()
    if part and part.content.kind == "call" then
      part.content.progress = { output = random_text(5) }
      tell({ event = "progress", part = part.id, metadata = part.content.progress })
    end
  end,
  function()
    local at = #daemon.parts - random(4)
    if daemon.parts[at] then tell({ event = "void", part = table.remove(daemon.parts, at).id }) end
  end,
  function() add_ask(random(2) == 0) end,
  function()
    local item = table.remove(daemon.asks, 1 + random(#daemon.asks))
    if item then
      ask.settled(daemon.id, item)
      ask.settled("another", item)
    end
  end,
  function()
    daemon.running = daemon.running == nil and 1 or nil
    tell(daemon.running and { event = "turnStarted", turn = 1 } or { event = "turnEnded", turn = 1, ["end"] = one_of(ends) })
  end,
  function()
    daemon.made = daemon.made + 1
    local view = session.view(daemon.id)
    if daemon.running and view then session.add_queued(view, "part" .. daemon.made + random(2), random_text(2)) end
  end,
  function() session.load_earlier(session.view(daemon.id)) end,
  function() tell({ event = "session", session = { id = daemon.id, title = random_text(2), agent = "build" } }) end,
}

-- The daemon's responses, at once or a little later.
local function answer(method, params, done)
  local methods = require("copydesk.protocol").methods
  local function give()
    local result = { parts = {}, running = daemon.running, seq = daemon.seq, session = { id = daemon.id, agent = "build" } }
    local last = #daemon.parts
    for at, part in ipairs(daemon.parts) do
      if part.id == params.before then last = at - 1 end
    end
    for at = math.max(1, last - (params.limit or 0) + 1), last do
      result.parts[#result.parts + 1] = vim.deepcopy(daemon.parts[at])
    end
    result.earlier = #result.parts < last
    done(nil, result)
  end
  if method ~= methods.sessionLoad and method ~= methods.sessionParts then return done("not here") end
  if random(3) == 0 then vim.schedule(give) else give() end
end
require("copydesk.client").request = answer

local function settle()
  local function is_settled()
    local view = session.view(daemon.id)
    return transcript.is_drawn() and view and not view.kept and not view.is_paging
  end
  assert(vim.wait(10000, is_settled, 1), "nothing is drawn")
end

-- Everything visible of the buffer.
local function picture()
  local buffer = assert(transcript.buffer())
  local namespace = vim.api.nvim_get_namespaces()["copydesk.chat"]
  local marks, folds = {}, {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })) do
    mark[1] = 0
    -- A mark without width is invisible.
    local details = mark[4]
    local is_empty = details.end_row == mark[2] and details.end_col == mark[3]
    if details.virt_text or not is_empty then marks[#marks + 1] = vim.inspect(mark) end
  end
  table.sort(marks)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  for row = 1, #lines do folds[row] = transcript.fold(row) end
  return { lines = lines, marks = marks, folds = folds }
end

local function check(number, done)
  settle()
  local view = session.view(daemon.id)
  local known = vim.list_slice(daemon.parts, #daemon.parts - #view.parts + 1)
  if view.seq == daemon.seq and not vim.deep_equal(view.parts, known) then
    error(("round %d: another view\n%s"):format(number, vim.inspect({ done, view.parts, known })), 0)
  end
  local piecewise = picture()
  transcript.show(view)
  settle()
  local whole = picture()
  for _, what in ipairs({ "lines", "marks", "folds" }) do
    if not vim.deep_equal(piecewise[what], whole[what]) then
      error(("round %d: other %s\n%s"):format(number, what, vim.inspect({ done, piecewise[what], whole[what] })), 0)
    end
  end
  return #whole.lines
end

-- One session: events, comparisons, and so on. Returns its final number of lines.
function D.round(number)
  daemon = { id = "session" .. number, seq = 0, made = 0, parts = {}, asks = {} }
  for _ = 1, random(8) do add_part() end
  session.open(daemon.id)
  settle()
  local lines, done = 0, {}
  for _ = 1, 12 do
    for _ = 0, random(6) do
      local deed = random(2) == 0 and random(3) + 1 or random(#deeds) + 1
      done[#done + 1] = deed
      deeds[deed]()
      -- Between two events there may be a frame.
      if random(3) == 0 then vim.wait(0) end
    end
    lines = check(number, done)
    if random(20) == 0 then
      vim.cmd(one_of({ "bwipeout!", "bdelete!", "bunload!" }) .. " " .. assert(transcript.buffer()))
      require("copydesk.chat.transcript").ensure()
      transcript.show(session.view(daemon.id))
      vim.api.nvim_win_set_buf(0, assert(transcript.buffer()))
    end
  end
  ask.clear()
  session.leave(session.view(daemon.id))
  return lines
end

-- Many rounds; returns how many of them became long.
function D.rounds(seed, count)
  D.seed(seed)
  require("copydesk.config").set({ chat = { page = 6 }, notify = "none", ask_float = false })
  require("copydesk.chat")
  vim.api.nvim_win_set_buf(0, transcript.ensure())
  local long = 0
  for number = 1, count do
    if D.round(number) > 30 then long = long + 1 end
  end
  assert(#S.said == 0, vim.inspect(S.said))
  return long
end
