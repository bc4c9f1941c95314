-- A user who types while edits are on their way: before an edit is applied, right after it, near it and inside it. A seed
-- decides what and where.
P = { made = {}, tried = {}, wrong = {}, typed = {}, count = 0 }

local state = 1
function P.seed(seed) state = seed * 7919 + 1 end

local function random(below)
  state = (state * 16807) % 2147483647
  return math.floor(state / 64) % below
end

local function all(buffer) return vim.api.nvim_buf_get_lines(buffer, 0, -1, true) end

-- The line of the block in `lines`, from 1.
local function find(lines, block)
  for start = 1, #lines - #block + 1 do
    local same = true
    for at, line in ipairs(block) do same = same and lines[start + at - 1] == line end
    if same then return start end
  end
end

local function token()
  P.count = P.count + 1
  return "<" .. P.count .. ">"
end

local function holds_typing(line) return line:find("<%d+>") ~= nil end

-- One random action of the user.
function P.type(buffer)
  local lines = all(buffer)
  local row = random(#lines)
  local near = P.aim[buffer] and find(lines, P.aim[buffer].old)
  if near and random(2) == 0 then row = math.min(#lines - 1, math.max(0, near - 3 + random(6))) end
  local line, typed = lines[row + 1], token()
  table.insert(P.typed[buffer], typed)
  local kind = random(8)
  -- If the user deletes the very line that the agent deletes, the edit is already made.
  local aim = P.aim[buffer]
  local is_same = aim and aim.by == "" and vim.tbl_contains(aim.old, line)
  if kind == 0 and #lines > 3 and not holds_typing(line) and not is_same then
    vim.api.nvim_buf_set_lines(buffer, row, row + 1, true, {})
    table.remove(P.typed[buffer])
  elseif kind <= 2 then
    vim.api.nvim_buf_set_lines(buffer, row, row, true, { "new 🦀 " .. typed })
  elseif kind <= 4 then
    local keys = ({ "I", "A", "o", "O" })[random(4) + 1]
    vim.api.nvim_buf_call(buffer, function() vim.cmd("normal! " .. row + 1 .. "G" .. keys .. typed) end)
  else
    local starts = vim.str_utf_pos(line)
    local column = #starts == 0 and 0 or starts[random(#starts) + 1] - 1
    -- Not inside what was typed before.
    if holds_typing(line) then column = 0 end
    vim.api.nvim_buf_set_text(buffer, row, column, row, column, { typed })
  end
end

function P.types(buffer, most)
  for _ = 1, random(most + 1) do P.type(buffer) end
end

-- Types anywhere, at a time that only the test decides.
function P.anywhere()
  P.type(P.buffers[random(#P.buffers) + 1])
end

local function complain(buffer, what, before, now)
  table.insert(P.wrong, table.concat({ what, vim.inspect(P.aim[buffer]), before, now }, "\n----\n"))
end

-- Replaces the only occurrence, if there is exactly one.
local function replaced(text, old, new)
  local start, stop = text:find(old, 1, true)
  if not start or text:find(old, start + 1, true) then return nil end
  return text:sub(1, start - 1) .. new .. text:sub(stop + 1)
end

-- The text after an edit must be the text before it with that edit and nothing else: as if the user had typed first, or,
-- for an inserted line, with just that line more.
local function check(buffer, before, now)
  local aim = P.aim[buffer]
  before, now = table.concat(before, "\n"), table.concat(now, "\n")
  local wanted = replaced(before .. "\n", aim.text, aim.by)
  -- The last line of a buffer always has an end, whatever was deleted after it.
  if wanted and not wanted:find("\n$") then wanted = wanted .. "\n" end
  local is_good = wanted == now .. "\n"
  if aim.inserted then
    -- The line before the insertion may be gone, and the inserted one be the first.
    is_good = is_good
      or replaced(now, "\n" .. aim.inserted, "") == before
      or replaced(now, aim.inserted .. "\n", "") == before
  end
  if not is_good then complain(buffer, "edited otherwise", before, now) end
end

local function buffers_of(params)
  return vim.tbl_map(function(change) return vim.uri_to_bufnr(change.textDocument.uri) end, params.edit.documentChanges)
end

local shots = {}
T.before = function(params)
  for _, buffer in ipairs(buffers_of(params)) do
    if random(3) == 0 then P.types(buffer, 2) end
    P.tried[buffer] = P.tried[buffer] + 1
    shots[buffer] = all(buffer)
  end
end
T.after = function(params)
  for _, buffer in ipairs(buffers_of(params)) do
    local now = all(buffer)
    if not vim.deep_equal(now, shots[buffer]) then
      P.made[buffer] = P.made[buffer] + 1
      check(buffer, shots[buffer], now)
    end
    if random(3) == 0 then P.types(buffer, 2) end
  end
end

-- Begins with new texts.
function P.begin()
  for _, buffer in ipairs(P.buffers) do
    local lines = {}
    for number = 1, 12 do lines[number] = ("line %d of %d, é🦀 ü"):format(number, buffer) end
    P.aim[buffer] = nil
    P.typed[buffer] = {}
    vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
  end
end

function P.open(files)
  P.aim = {}
  P.buffers = vim.tbl_map(T.open, files)
end

-- The model's edit of each buffer: the texts of one `edit`.
function P.round()
  return vim.tbl_map(function(buffer)
    local lines = all(buffer)
    local size = math.min(#lines, 1 + random(3))
    local start = 1 + random(#lines - size + 1)
    local old, new = vim.list_slice(lines, start, start + size - 1), {}
    P.made[buffer], P.tried[buffer] = 0, 0
    local text, by, inserted = table.concat(old, "\n"), nil, nil
    -- Typed text is kept.
    if random(4) == 0 or holds_typing(text) then
      inserted = "inserted " .. token():sub(2, -2)
      by = text .. "\n" .. inserted
    else
      for number = 1, random(4) do new[number] = ("agent %s, %d é"):format(token():sub(2, -2), number) end
      if #new == 0 then text = text .. "\n" end
      by = table.concat(new, "\n")
    end
    P.aim[buffer] = { old = old, text = text, by = by, inserted = inserted }
    return { old = text, new = by }
  end, P.buffers)
end

-- The outcome per buffer, and whether all typed text is still there.
function P.result()
  return vim.tbl_map(function(buffer)
    local lines = all(buffer)
    local text = table.concat(lines, "\n")
    for _, typed in ipairs(P.typed[buffer]) do
      local _, count = text:gsub(vim.pesc(typed), "")
      if count ~= 1 then complain(buffer, typed .. " is there " .. count .. " times", "", text) end
    end
    return { made = P.made[buffer], tried = P.tried[buffer], lines = lines }
  end, P.buffers)
end
