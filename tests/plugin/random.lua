-- Random edits against a naive model: a text is a list of characters with identity. Loaded after `bare.lua`.
R = {}

local state = 1
function R.seed(seed) state = seed * 7919 + 1 end

local function random(below)
  state = (state * 16807) % 2147483647
  return math.floor(state / 64) % below
end

local function one_of(list) return list[random(#list) + 1] end

local function random_text(most)
  local pieces = {}
  for number = 1, random(most + 1) do
    pieces[number] = one_of({ "a", "b", " ", "é", "🦀", "漢", "e\204\129", "\n", "\n", "\r" })
  end
  return table.concat(pieces)
end

-- A text as characters; a combining code point counts as its own.
local function characters(text)
  local list = {}
  for code in text:gmatch("[%z\1-\127\194-\244][\128-\191]*") do list[#list + 1] = { code = code } end
  return list
end

local function text_of(list)
  return table.concat(vim.tbl_map(function(character) return character.code end, list))
end

-- The position of the character of a number, from 0; the one after the last is the end.
local function place(list, number, encoding)
  local line, character = 0, 0
  for at = 1, number - 1 do
    local code = list[at].code
    local size = encoding == "utf-8" and #code or encoding == "utf-16" and #code == 4 and 2 or 1
    if code == "\n" then
      line, character = line + 1, 0
    else
      character = character + size
    end
  end
  return line, character
end

-- The lines of a text, as in a buffer whose last line has an end, or will have one.
local function lines_of(text, has_end)
  if has_end then text = text:gsub("\n$", "") end
  return vim.split(text, "\n", { plain = true })
end

-- Some edits of a text, apart from each other, and the text with them.
local function random_edits(list, encoding, format)
  local edits, after, at = {}, {}, 1
  while at <= #list + 1 do
    if random(6) == 0 and #edits < 4 then
      local size = math.min(random(3) == 0 and 0 or random(5), #list + 1 - at)
      local text = random_text(4)
      if format == "mac" then text = text:gsub("\r", "") end
      local row, character = place(list, at, encoding)
      local end_row, end_character = place(list, at + size, encoding)
      local sent = format == "dos" and random(2) == 0 and text:gsub("\n", "\r\n") or text
      if format == "dos" then text = sent:gsub("\r\n", "\n") end
      edits[#edits + 1] = { row, character, end_row, end_character, sent }
      vim.list_extend(after, characters(text))
      at = at + size
      -- A character between two edits, or none: they may touch.
      if size == 0 or random(2) == 0 then
        after[#after + 1] = list[at]
        at = at + 1
      end
    else
      after[#after + 1] = list[at]
      at = at + 1
    end
  end
  return edits, after
end

local function find(list, character)
  for number, other in ipairs(list) do
    if other == character then return number end
  end
end

-- One round: a buffer, edits, and everything that must hold afterwards.
function R.round(number, encoding)
  local format = one_of({ "unix", "unix", "dos", "mac" })
  local has_end, fixes, is_binary = random(3) > 0, random(3) > 0, random(5) == 0
  local text = random_text(24)
  if format ~= "unix" then text = text:gsub("\r", "") end
  local lines = vim.split(text, "\n", { plain = true })
  local bufnr = S.open("random" .. number, lines)
  vim.bo.fileformat, vim.bo.endofline, vim.bo.fixendofline = format, has_end, fixes
  if is_binary then vim.bo.binary, vim.bo.endofline, vim.bo.fileformat = true, has_end, format end
  -- The options as if the file had been read so.
  require("copydesk.sync").close(bufnr)
  vim.bo.modified = false
  S.attach(bufnr)
  local list = characters(text .. (has_end and "\n" or ""))
  local edits, after = random_edits(list, encoding, format)
  local last = edits[#edits]
  local end_row, end_character = place(list, #list + 1, encoding)
  local is_something = last and (last[5] ~= "" or last[1] ~= last[3] or last[2] ~= last[4])
  local is_at_end = is_something and last[3] == end_row and last[4] == end_character
  local wanted = lines_of(text_of(after), has_end or is_at_end and fixes and not is_binary)
  local watched = 1 + random(#list + 1)
  local row, col = place(list, watched, "utf-8")
  -- With folds, a range is replaced in pieces.
  if random(2) == 0 then
    local first = 1 + random(#lines)
    vim.cmd(("%d,%dfold"):format(first, first + random(#lines - first + 1)))
    vim.cmd("normal! zR")
  end
  if row < #lines then
    vim.api.nvim_buf_set_mark(bufnr, "a", row + 1, col, {})
    vim.api.nvim_win_set_cursor(0, { row + 1, col })
  end
  local case = { format = format, has_end = has_end, fixes = fixes, binary = is_binary }
  case.text, case.edits = text, edits
  local function check(condition, what, is)
    if not condition then error(what .. "\n" .. vim.inspect({ case, is, wanted }), 0) end
  end
  -- The order matters only for two edits at the same position.
  local shuffled = {}
  for _, edit in ipairs(edits) do table.insert(shuffled, 1 + random(#shuffled + 1), edit) end
  local answer = S.apply({ [bufnr] = shuffled })
  local is_same = vim.deep_equal(wanted, lines)
  if not answer.applied then
    check(is_same and #edits > 0, "refused", answer)
  end
  check(vim.deep_equal(S.lines(bufnr), wanted), "another text", S.lines(bufnr))
  check(S.known(bufnr) == S.text(bufnr), "the daemon has another text", { S.known(bufnr), S.text(bufnr) })
  check(vim.bo.fileformat == format and vim.bo.endofline == has_end, "other options")
  -- The character under the mark and the cursor, if it still exists and is not the end of a line.
  local character = list[watched]
  local now = character and find(after, character)
  if now and character.code ~= "\n" and row < #lines then
    local new_row, new_col = place(after, now, "utf-8")
    local mark = vim.api.nvim_buf_get_mark(bufnr, "a")
    check(mark[1] == new_row + 1 and mark[2] == new_col, "the mark", { mark, new_row, new_col, row, col })
    -- In normal mode the cursor is at the beginning of a composed character, which may now include another letter.
    local composes = character.code == "\204\129" or after[now + 1] and after[now + 1].code == "\204\129"
    local cursor = vim.api.nvim_win_get_cursor(0)
    local is_there = cursor[1] == new_row + 1 and cursor[2] == new_col
    check(composes or is_there, "the cursor", { cursor, new_row, new_col })
  end
  if answer.applied and not is_same then
    vim.cmd("silent undo")
    check(vim.deep_equal(S.lines(bufnr), lines), "undo", S.lines(bufnr))
    check(not vim.bo.modified, "undo leaves it modified")
    vim.cmd("silent redo")
    check(vim.deep_equal(S.lines(bufnr), wanted), "redo", S.lines(bufnr))
  end
  vim.cmd("silent bwipeout!")
  return answer.applied and not is_same
end

-- Long lines are synced in part, and many changes are joined: here from few bytes and few changes on.
local function set_limits()
  require("copydesk.sync.long_line").min_bytes = one_of({ 1, 4, 64 * 1024 })
  require("copydesk.apply.join").max_changes = one_of({ 1, 2, 3, 100 })
end

-- Many rounds; returns how many of them changed a text.
function R.rounds(count, encoding)
  local changed = 0
  for number = 1, count do
    set_limits()
    if R.round(number, encoding) then changed = changed + 1 end
  end
  return changed
end

-- What the user and plugins do to an unnamed buffer.
local deeds = {
  "normal! Gonew\27", "normal! ggOfirst\27", "normal! Gdd", "normal! ggdd", "normal! ddp", "normal! J",
  "undo", "redo",
  "%delete _", "normal! yyP", "normal! Aé🦀\27", "g/e/normal! x", "%s/e/\\r/e", "1,$sort", "setlocal ff=dos",
  "setlocal ff=unix", "setlocal noeol", "setlocal eol", "normal! ggVGd", "normal! Gp",
}

-- The daemon has the text of an unnamed buffer, whatever happens to it.
function R.untitled(count)
  vim.cmd("enew!")
  local bufnr = S.attach(vim.api.nvim_get_current_buf())
  for number = 1, count do
    local done = {}
    set_limits()
    for _ = 0, random(4) do
      local deed = one_of(deeds)
      done[#done + 1] = deed
      vim.cmd("silent! " .. deed)
      if random(3) == 0 then
        local row = random(vim.api.nvim_buf_line_count(bufnr))
        local lines = lines_of(random_text(6), false)
        vim.api.nvim_buf_set_lines(bufnr, row, random(2) == 0 and row or -1, true, lines)
      end
    end
    require("copydesk.sync").flush(bufnr)
    if S.known(bufnr) ~= S.text(bufnr) then
      error(number .. vim.inspect({ done, S.known(bufnr), S.text(bufnr) }), 0)
    end
  end
  return S.documents[require("copydesk.buffer").uri(bufnr)].version
end
