-- A user who types at random, in every mode, while the agent edits, moves and deletes. A seed decides what and when.
--
-- Every character that is typed as text is unique: a code point of a private plane, used once in a Neovim. An edit of the agent that changes
-- how often such a character is in a buffer has lost it or made it up. What was typed as text is in a buffer afterwards. What the user
-- deletes, replaces or undoes themselves is theirs; so is what they reject.
Y = { typed = 0, edits = 0, operations = 0, decided = 0, sent_again = 0, noticed = 0, wrong = {}, log = {} }

-- The first code point of plane 15, which is private, and a pattern of the characters from there on in UTF-8.
local FIRST_TYPED = 0xF0000
local TYPED = "[\243\244][\128-\191][\128-\191][\128-\191]"

-- The number of a typed character, from 1.
local function number_of(character) return vim.fn.char2nr(character) - FIRST_TYPED end

local state = 1
local function random(below)
  state = (state * 16807) % 2147483647
  return math.floor(state / 64) % below
end

local function one_of(list) return list[random(#list) + 1] end

local function text_of(bufnr) return table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n") .. "\n" end

local function complain(what)
  table.insert(Y.wrong, what .. "\n" .. table.concat(Y.log, "\n"))
end

-- How often each typed character is in a text.
local function typed_in(text)
  local counts = {}
  for character in text:gmatch(TYPED) do
    counts[character] = (counts[character] or 0) + 1
  end
  return counts
end

-- Whether a call of the agent showed this character to the model, which may then delete it by writing the whole file.
local function is_shown(character)
  for _, part in ipairs(require("copydesk.session").current().parts) do
    local output = part.content.kind == "call" and part.content.output
    if output and output.output:find(character, 1, true) then return true end
  end
  return false
end

local function is_written_whole(bufnr)
  for number, call in ipairs(Y.calls) do
    if Y.buffers[number] == bufnr then return call.kind == "write" end
  end
  return false
end

local function compare(what, bufnr, before, after)
  for _, counts in ipairs({ before, after }) do
    for character in pairs(counts) do
      local is_forgiven = Y.given_up[character] or is_written_whole(bufnr) and is_shown(character)
      if before[character] ~= after[character] and not is_forgiven then
        complain(("%s: character %d was there %d times and is %d"):format(
          what, number_of(character), before[character] or 0, after[character] or 0))
      end
    end
  end
end

local replace = require("copydesk.apply.replace")
local replace_all = replace.all
replace.all = function(bufnr, ranges)
  local before = text_of(bufnr)
  local back, problem = replace_all(bufnr, ranges)
  local after = text_of(bufnr)
  Y.edits = Y.edits + 1
  table.insert(Y.log, ("edit of %d in mode %s: %s"):format(bufnr, vim.fn.mode(1), problem or "made"))
  compare("an edit", bufnr, typed_in(before), typed_in(after))
  for mark in after:gmatch("agent [%d.]+") do
    if not before:find(mark, 1, true) then Y.marks[mark] = true end
  end
  return back, problem
end

local operation = require("copydesk.apply.file_operation")
local run = operation.run
operation.run = function(params)
  local change = params.edit.documentChanges[1]
  local bufnr = require("copydesk.buffer").of(change.oldUri or change.uri)
  local before = bufnr and text_of(bufnr)
  local problem = run(params)
  Y.operations = Y.operations + 1
  table.insert(Y.log, ("%s of %s: %s"):format(change.kind, bufnr or "no buffer", problem or "made"))
  local is_there = bufnr and vim.api.nvim_buf_is_loaded(bufnr)
  if is_there and text_of(bufnr) ~= before then
    complain("a buffer that follows its file has another text")
  elseif bufnr and not is_there and before ~= Y.saved[bufnr] then
    complain("a buffer was closed with text that was not saved")
  end
  return problem
end

local verify = require("copydesk.verify")
local send_again = verify.send_again
verify.send_again = function(bufnr)
  Y.sent_again = Y.sent_again + 1
  return send_again(bufnr)
end

vim.api.nvim_create_autocmd("BufWritePost", {
  callback = function(event) if Y.saved then Y.saved[event.buf] = text_of(event.buf) end end,
})

-- The keys of one action. `T` stands for some characters of text; `|` is where the agent may come in between. `is_kept`: they must be in a
-- buffer.
local actions = {
  { "o|T|<Esc>", is_kept = true }, { "O|T|<Esc>", is_kept = true },
  { "A|T|<Esc>", is_kept = true }, { "I|T|<Esc>", is_kept = true },
  { "A |T| |T|<Esc>", is_kept = true }, { "a|T|<CR>|T|<Esc>", is_kept = true },
  { "viw|c|T|<Esc>", is_kept = true }, { "V|jc|T|<Esc>", is_kept = true },
  { "<C-v>j|I|T|<Esc>" }, { "<C-v>|jA|T|<Esc>" }, { "gh|T|<Esc>", is_kept = true },
  { "R|T|<Esc>", is_kept = true }, { "c|w|T|<Esc>", is_kept = true }, { "d|<Esc>" }, { "d|d" }, { "y|yp" }, { "J|" }, { ">|>" },
  { ":s/e/T/|<CR>" }, { ":%s/line/T/|<Esc>" }, { ":s/i/&T/|<CR>" }, { ":normal A|T<CR>" }, { "q:|iT|<Esc>" },
  { "/li|<CR>" }, { ":enew<CR>i|T|<Esc>:b#<CR>", is_kept = true },
  { "qa|AT|<Esc>q|@a" }, { "AT|<Esc>j|.", is_kept = true }, { "oT <C-n>|<C-e>|<Esc>", is_kept = true },
  { "ol<C-n>|<C-n>| T|<Esc>" }, { "ol<C-x><C-l>|<C-y>|<Esc>" },
  { "u|" }, { "u|<C-r>" }, { "u|u|<C-r>" }, { "g-|g+" }, { "zfj|zo" }, { "zE|" }, { "ggzfG|zR" }, { ":w<CR>|" },
  { ":b#<CR>|" }, { ":split<CR>|<C-w>c" }, { "i<C-r>=1+|1<CR>T|<Esc>", is_kept = true }, { "i<C-o>|A T|<Esc>", is_kept = true },
  { "p|" }, { "P|" }, { "~|." }, { "gJ|" }, { "x|u" },
}

-- Neovim runs no callbacks while it waits for the second key of a command or at a hit-enter prompt, so the user could not type on. A timer of
-- libuv runs even then, and ends the waiting. `gh` may be the start of a mapping: Neovim ends that wait by itself, sooner.
vim.o.timeoutlen = 50
local MAX_BLOCKED_TICKS = 100
-- After so many without a new line in the log the test is told where it stands; it gives up some time later.
local MAX_IDLE_TICKS = 1000
local blocked_ticks, idle_ticks, logged = 0, 0, 0
Y.unblock = assert(vim.uv.new_timer())
Y.unblock:start(20, 20, function()
  idle_ticks = #Y.log == logged and idle_ticks + 1 or 0
  logged = #Y.log
  if idle_ticks == MAX_IDLE_TICKS then
    T.tell("stuck", { mode = vim.api.nvim_get_mode(), at = Y.at, log = table.concat(Y.log, "\n") })
  end
  blocked_ticks = vim.api.nvim_get_mode().blocking and blocked_ticks + 1 or 0
  if blocked_ticks > MAX_BLOCKED_TICKS then
    blocked_ticks = 0
    table.insert(Y.log, "is unblocked by <Esc>")
    vim.api.nvim_input("<Esc>")
  end
end)

-- Types keys, and waits until Neovim has handled them.
local function feed(keys)
  local shown = keys:gsub(TYPED, function(character) return ("‹%d›"):format(number_of(character)) end)
  table.insert(Y.log, ("%s types %s"):format(vim.fn.mode(1), shown))
  vim.api.nvim_input(keys)
  T.await(function(done) vim.schedule(done) end)
end

vim.keymap.set({ "n", "x", "s", "o", "i", "c", "t" }, "<F30>", "<Cmd>lua Y.mode_after_keys = vim.api.nvim_get_mode().mode<CR>")

-- Waits until Neovim has handled all keys: it takes them when it gets to them, which may be after an edit.
local function wait_for_keys()
  Y.mode_after_keys = nil
  vim.api.nvim_input("<F30>")
  while not Y.mode_after_keys do
    T.await(function(done) vim.defer_fn(done, 1) end)
  end
end

-- A command-line window may open late, and closes when Neovim has handled another key.
local function leave_command_window()
  while vim.fn.getcmdwintype() ~= "" do
    if vim.api.nvim_get_mode().mode == "n" then
      vim.cmd("silent! quit")
    else
      feed("<C-\\><C-n>")
    end
    wait_for_keys()
  end
end

-- Ends whatever the user is in the middle of, and waits for it: the preview of a command is no text.
local function end_mode()
  while true do
    leave_command_window()
    local mode = vim.api.nvim_get_mode().mode
    if mode == "n" then return end
    feed(mode:find("^r") and "<CR>" or "<C-\\><C-n>")
    for _ = 1, 100 do
      if vim.api.nvim_get_mode().mode ~= mode then break end
      T.await(function(done) vim.schedule(done) end)
    end
  end
end

-- Waits until Neovim has handled all keys, and nothing is under way.
local function settle()
  repeat
    end_mode()
    wait_for_keys()
  until Y.mode_after_keys == "n" and vim.fn.getcmdwintype() == ""
end

local function is_anywhere(character)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and text_of(bufnr):find(character, 1, true) then return true end
  end
  return false
end

-- One step of the user: the next keys of an action, or a new one.
function Y.act()
  if Y.is_acting then return end
  Y.is_acting = true
  local action = Y.action
  if not action then
    end_mode()
    local open = vim.tbl_filter(vim.api.nvim_buf_is_loaded, Y.buffers)
    if #open > 0 and (random(2) == 0 or not vim.list_contains(open, vim.api.nvim_get_current_buf())) then
      local chosen = one_of(open)
      -- Neovim may report an error of the command before.
      pcall(vim.api.nvim_win_set_buf, 0, chosen)
      if vim.api.nvim_get_current_buf() ~= chosen then complain("the user cannot go to another buffer") end
    end
    local count = vim.api.nvim_buf_line_count(0)
    vim.api.nvim_win_set_cursor(0, { 1 + random(count), random(12) })
    local chosen = one_of(actions)
    action = { typed = {}, is_kept = chosen.is_kept, pieces = {} }
    local keys = chosen[1]:gsub("T", function()
      local characters = {}
      for at = 1, 1 + random(3) do
        Y.typed = Y.typed + 1
        characters[at] = vim.fn.nr2char(FIRST_TYPED + Y.typed)
        table.insert(action.typed, characters[at])
      end
      -- The agent may come in between any two of them.
      return table.concat(characters, random(2) == 0 and "|" or "")
    end)
    action.pieces = vim.split(keys, "|", { plain = true, trimempty = true })
    Y.action = action
  end
  feed(table.remove(action.pieces, 1))
  if #action.pieces == 0 then
    wait_for_keys()
    for _, character in ipairs(action.is_kept and action.typed or {}) do
      if not is_anywhere(character) and not Y.given_up[character] then
        complain(("character %d is nowhere"):format(number_of(character)))
      end
    end
    Y.action = nil
  end
  Y.is_acting = false
end

-- The user may act just before and after an edit.
local apply = require("copydesk.apply")
local handle = apply.handle
apply.handle = function(params, client)
  for _ = 1, random(3) do Y.act() end
  local answer = handle(params, client)
  table.insert(Y.log, answer.applied and "applied" or "refused: " .. tostring(answer.failureReason))
  for _ = 1, random(3) do Y.act() end
  return answer
end

local function request(method, params)
  local problem, result = T.await(function(done) require("copydesk.client").request(method, params, done) end)
  return result, problem
end

-- What the model does to a file: one call.
local function call_of(file, number, uses_patches)
  local function mark()
    Y.agent = Y.agent + 1
    return ("agent %d.%d"):format(Y.seed, Y.agent)
  end
  local line, other = 2 + random(4), 7 + random(3)
  local old = function(at) return ("line %d of %d, é🦀 ü"):format(at, number) end
  local kinds = { "edit", "insert", "multiedit", "write" }
  local kind = one_of(uses_patches and { "update", "update", "move", "rename", "delete" } or kinds)
  local call = { file = file, kind = kind, marks = {} }
  local function put()
    local made = mark()
    table.insert(call.marks, made)
    return made
  end
  if kind == "edit" then
    call.name, call.arguments = "edit", { filePath = file, oldString = old(line), newString = put() .. "\n" .. mark() }
  elseif kind == "insert" then
    call.name, call.arguments = "edit", { filePath = file, oldString = old(line), newString = old(line) .. "\n" .. put() }
  elseif kind == "multiedit" then
    local edits = { { oldString = old(line), newString = put() }, { oldString = old(other), newString = put() } }
    call.name, call.arguments = "multiedit", { filePath = file, edits = edits }
  elseif kind == "write" then
    local lines = {}
    for at = 1, 10 do lines[at] = (at == line or at == other) and put() or old(at) end
    call.name, call.arguments = "write", { filePath = file, content = table.concat(lines, "\n") .. "\n" }
  else
    local body = kind == "delete" and "*** Delete File: " .. file or "*** Update File: " .. file
    if kind == "move" or kind == "rename" then body = body .. "\n*** Move to: moved/" .. file end
    if kind == "move" or kind == "update" then body = body .. ("\n@@\n-%s\n+%s"):format(old(line), put()) end
    call.name, call.arguments = "apply_patch", { patchText = "*** Begin Patch\n" .. body .. "\n*** End Patch\n" }
  end
  return call
end

-- Opens the files of a seed; returns the model's calls.
function Y.begin(seed, uses_patches)
  Y.at = "begin"
  Y.seed, state = seed, seed * 7919 + 1
  Y.buffers, Y.saved, Y.marks, Y.given_up, Y.log, Y.agent, Y.action = {}, {}, {}, {}, {}, 0, nil
  Y.is_over = false
  settle()
  local calls = {}
  for number = 1, 3 do
    local file = ("%s_%d_%d.txt"):format(one_of({ "ask", "after", "after" }), seed, number)
    local lines = {}
    for at = 1, 10 do lines[at] = ("line %d of %d, é🦀 ü"):format(at, number) end
    vim.fn.writefile(lines, file)
    vim.cmd("silent edit " .. file)
    local bufnr = vim.api.nvim_get_current_buf()
    Y.buffers[number], Y.saved[bufnr] = bufnr, text_of(bufnr)
    calls[number] = call_of(file, number, uses_patches)
  end
  Y.calls = calls
  return calls
end

-- Decides what waits, or what is made: some of it, in whole or by hunks.
local function decide(when)
  local session = require("copydesk.session").current().id
  local listed = request("copydesk/review/list", { session = session })
  local decisions = {}
  for _, review in ipairs(listed and listed.reviews or {}) do
    if review.when == when then
      local targets = { { hunk = review.review, expected = review.expected } }
      if random(2) == 0 and not review.file and #review.hunks > 0 then targets = review.hunks end
      for _, target in ipairs(targets) do
        local verdict = one_of({ "accept", "accept", "reject" })
        if verdict == "reject" then
          for _, hunk in ipairs(review.hunks) do
            local lines = table.concat(hunk.new, "\n") .. table.concat(hunk.old, "\n")
            for character in pairs(typed_in(lines)) do Y.given_up[character] = true end
          end
        end
        decisions[#decisions + 1] = { hunk = target.hunk, expected = target.expected, verdict = verdict }
      end
    end
  end
  if #decisions > 0 then
    Y.decided = Y.decided + #decisions
    table.insert(Y.log, ("decides %d"):format(#decisions))
    request("copydesk/review/decide", { session = session, decisions = decisions })
  end
end

vim.api.nvim_create_autocmd("User", { pattern = "CopydeskTurnEnded", callback = function() Y.is_over = true end })

-- Types while the turn runs, and answers its asks.
function Y.work()
  Y.at = "work"
  require("copydesk").ask("Work", { show = false })
  local asks = require("copydesk.ask")
  local moments = 0
  while not Y.is_over do
    moments = moments + 1
    if random(3) == 0 then Y.act() end
    local waiting = asks.list()[1]
    if waiting and random(2) == 0 then
      -- Decisions on hunks that change all the time may be refused again and again.
      if moments > 200 or random(3) == 0 then
        waiting.reply({ reply = "once" })
      else
        decide("before")
      end
    end
    T.await(function(done) vim.defer_fn(done, 1) end)
  end
end

local function is_same_in_daemon(bufnr)
  local buffer = require("copydesk.buffer")
  require("copydesk.sync").flush(bufnr)
  local text = buffer.digest(bufnr)
  local params = { uri = buffer.uri(bufnr), version = buffer.version(bufnr), bytes = text.bytes, sha256 = text.sha256 }
  local result, problem = request("copydesk/document/verify", params)
  local is_same = result ~= nil and result.same == true
  return is_same, not is_same and vim.inspect(problem or result) or nil
end

-- Ends a seed: decides, undoes, and compares all texts with the daemon's.
function Y.finish()
  Y.at = "finish"
  for _ = 1, random(3) do Y.act() end
  local session = require("copydesk.session").current().id
  if random(2) == 0 then decide("after") end
  local parts = require("copydesk.session").current().parts
  local calls = vim.tbl_filter(function(part) return part.content.kind == "call" end, parts)
  if random(4) == 0 and #calls > 2 then
    table.insert(Y.log, "undoes a call")
    request("copydesk/undo", { session = session, what = { call = calls[#calls - random(3)].id } })
  end
  while Y.action do Y.act() end
  Y.at = "settle"
  settle()
  Y.at = "verify"
  local buffer = require("copydesk.buffer")
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if buffer.is_document(bufnr) and buffer.version(bufnr) then
      -- What Neovim does not report is noticed when the user rests.
      if not is_same_in_daemon(bufnr) then
        Y.noticed = Y.noticed + 1
        verify.check(bufnr)
        -- The answer to the check is the one before the answer to this.
        request("copydesk/status", {})
        local _, problem = is_same_in_daemon(bufnr)
        if problem then
          local tick = vim.api.nvim_buf_get_changedtick(bufnr)
          complain(("the daemon has another text of %d, at version %s and tick %d: %s\n%s"):format(
            bufnr, buffer.version(bufnr), tick, problem, text_of(bufnr)))
        end
      end
    end
  end
  local outcomes = vim.tbl_map(function(call)
    local made = 0
    for _, mark in ipairs(call.marks) do made = made + (Y.marks[mark] and 1 or 0) end
    return { file = call.file, kind = call.kind, made = made, marks = #call.marks }
  end, Y.calls)
  for number, bufnr in ipairs(Y.buffers) do
    local is_loaded = vim.api.nvim_buf_is_loaded(bufnr)
    table.insert(Y.log, ("buffer %d, %s: %s"):format(bufnr, Y.calls[number].file,
      is_loaded and ("version %s\n%s"):format(buffer.version(bufnr), text_of(bufnr)) or "not loaded"))
  end
  decide("after")
  vim.cmd("silent! only")
  local wrong, log = Y.wrong, table.concat(Y.log, "\n")
  Y.wrong = {}
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.bo[bufnr].buftype == "" then pcall(vim.api.nvim_buf_delete, bufnr, { force = true }) end
  end
  return {
    calls = outcomes, wrong = wrong, log = log, typed = Y.typed, edits = Y.edits, operations = Y.operations,
    decided = Y.decided, sent_again = Y.sent_again, noticed = Y.noticed,
  }
end
