--- The buffer of the conversation. It mirrors one session's view and redraws only the lines that changed.
---
--- Contract: a window whose cursor is on the last line stays at the end; every other one keeps its cursor and view. Changes
--- are collected per frame, the first one is drawn at once. Nothing else changes the buffer.

local ask = require("copydesk.ask")
local render = require("copydesk.chat.render")
local session = require("copydesk.session")
local limits = require("copydesk.time_limits")

local M = {}

M.name = "copydesk://chat"

--- Up to how many lines the buffer has Markdown highlighting.
local COLOURED = 5000
local marks = vim.api.nvim_create_namespace("copydesk.chat")

---@class copydesk.PlacedBlock: copydesk.Block
---@field part? string
---@field first integer The row it begins at, from 0.
---@field count integer

---@type integer?
local buffer
---@type string? The id of the session shown.
local shown
--- One per part, and last the one with open asks and queued prompts.
---@type copydesk.PlacedBlock[]
local blocks = {}
---@type table<string, integer>
local at = {}
--- What changed since the last frame: `true` for a whole part, else the text appended to it.
---@type table<string, true|string>
local dirty = {}
---@type string[] The ids in `dirty`, in order.
local order = {}
local is_all_dirty = false
local is_tail_dirty = false
local is_scheduled = false
local is_coloured = false
local last_frame = 0

---@return integer?
function M.buffer()
  return buffer and vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

--- The block at a row, and the row inside it.
---@param row integer From 0.
---@return copydesk.PlacedBlock?
---@return integer? within
---@return integer? number
function M.at(row)
  local low, high = 1, #blocks
  while low <= high do
    local middle = math.floor((low + high) / 2)
    local block = blocks[middle]
    if row < block.first then
      high = middle - 1
    elseif row >= block.first + block.count then
      low = middle + 1
    else
      return block, row - block.first, middle
    end
  end
end

--- The blocks shown, each with its first row.
---@return copydesk.PlacedBlock[]
function M.blocks()
  return blocks
end

--- For 'foldexpr'.
---@param line integer From 1.
---@return string
function M.fold(line)
  local block, within = M.at(line - 1)
  if not block or not block.fold or within < block.fold[1] or within > block.fold[2] then
    return "0"
  end
  return within == block.fold[1] and ">1" or "1"
end

--- Changes the buffer and keeps windows that were at its end there.
---@param change fun()
local function keeping(change)
  local last = vim.api.nvim_buf_line_count(buffer)
  local following = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    -- While the user selects text, the cursor is one end of the selection.
    local is_selecting = window == vim.api.nvim_get_current_win() and vim.fn.mode():find("^[vVsS\22\19]")
    if vim.api.nvim_win_get_cursor(window)[1] >= last and not is_selecting then
      following[#following + 1] = window
    end
  end
  vim.bo[buffer].modifiable = true
  local went, problem = pcall(require("copydesk.chat.fold").following, vim.fn.win_findbuf(buffer)[1], change)
  vim.bo[buffer].modifiable = false
  if not went then
    error(problem, 0)
  end
  -- Also if the number of lines is the same: a whole redraw moves the cursor, and lines may wrap otherwise than before.
  local now = vim.api.nvim_buf_line_count(buffer)
  for _, window in ipairs(following) do
    if vim.api.nvim_win_get_cursor(window)[1] ~= now then
      vim.api.nvim_win_set_cursor(window, { now, 0 })
    end
    require("copydesk.chat.last_rows").show(window)
  end
end

--- Saves each window's position by block instead of by row, for a change that moves everything.
---@return fun() back
local function remember()
  local places = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local view = vim.api.nvim_win_call(window, vim.fn.winsaveview)
    local block, within = M.at(view.lnum - 1)
    if block and block.part then
      places[window] = { part = block.part, within = within, above = view.lnum - view.topline, col = view.col }
    end
  end
  return function()
    for window, place in pairs(places) do
      local block = blocks[at[place.part] or 0]
      if block then
        local line = block.first + math.min(place.within, math.max(block.count - 1, 0)) + 1
        local view = { lnum = line, col = place.col, topline = math.max(1, line - place.above) }
        vim.api.nvim_win_call(window, function()
          vim.fn.winrestview(view)
        end)
      end
    end
  end
end

---@param from integer
---@param rows integer
local function shift(from, rows)
  if rows ~= 0 then
    for number = from, #blocks do
      blocks[number].first = blocks[number].first + rows
    end
  end
end

---@param placed copydesk.PlacedBlock
---@param from? integer The first mark.
local function put_marks(placed, from)
  for _, mark in ipairs(vim.list_slice(placed.marks, from or 1)) do
    local options = mark.options
    if mark.end_row then
      options = vim.tbl_extend("force", options, { end_row = placed.first + mark.end_row, end_col = mark.end_col })
    end
    vim.api.nvim_buf_set_extmark(buffer, marks, placed.first + mark.row, mark.col, options)
  end
end

--- How many lines two lists share at their beginning.
---@param one string[]
---@param other string[]
---@return integer
local function common(one, other)
  local count = 0
  while count < #one and count < #other and one[count + 1] == other[count + 1] do
    count = count + 1
  end
  return count
end

--- Replaces a block.
---@param number integer
---@param block copydesk.Block
local function replace(number, block)
  local placed = blocks[number]
  local same = common(placed.lines, block.lines)
  -- An empty block's row belongs to another block.
  if placed.count > 0 then
    vim.api.nvim_buf_clear_namespace(buffer, marks, placed.first, placed.first + placed.count)
  end
  local old, count = placed.count, #block.lines
  for name, value in pairs(block) do
    placed[name] = value
  end
  placed.count, placed.fold, placed.grows, placed.scan = count, block.fold, block.grows, block.scan
  -- Set the rows before the buffer changes, because that evaluates 'foldexpr'.
  shift(number + 1, count - old)
  if same < math.max(old, count) then
    local lines = vim.list_slice(block.lines, same + 1)
    vim.api.nvim_buf_set_lines(buffer, placed.first + same, placed.first + old, false, lines)
  end
  put_marks(placed)
end

---@param number integer
---@return string?
local function kind_before(number)
  for before = number - 1, 1, -1 do
    if blocks[before].count > 0 then
      return blocks[before].kind
    end
  end
end

--- The row of the last block. Row 0 belongs to no block, because a buffer always has a line.
---@return integer
local function tail_row()
  local tail = blocks[#blocks]
  return tail and tail.first or 1
end

--- Appends a block to another.
---@param block copydesk.Block
---@param below? copydesk.Block
local function append(block, below)
  if not below then
    return
  end
  for _, mark in ipairs(below.marks) do
    mark.row = mark.row + #block.lines
    block.marks[#block.marks + 1] = mark
  end
  for _, place in ipairs(below.asks or {}) do
    place.first, place.last = place.first + #block.lines, place.last + #block.lines
    block.asks[#block.asks + 1] = place
  end
  vim.list_extend(block.lines, below.lines)
end

---@param view copydesk.View
local function draw_tail(view)
  local block = { lines = {}, marks = {}, kind = "tail", asks = {} } ---@type copydesk.Block
  if #view.parts == 0 and not view.running then
    append(block, require("copydesk.chat.welcome").block(view.session.agent))
  end
  append(block, require("copydesk.chat.feedback").block(view.feedback))
  append(block, render.waiting(view.sent))
  -- The asks come last, where they are in sight.
  append(block, require("copydesk.chat.asking").all(ask.list(view.id)))
  replace(#blocks, block)
end

---@param view copydesk.View
---@param part copydesk.PartInfo
---@return string? below Another part that had to be redrawn, including its pending text.
local function draw_part(view, part)
  local number = at[part.id]
  if not number then
    number = #blocks
    table.insert(blocks, number, { part = part.id, first = tail_row(), count = 0, lines = {}, marks = {}, kind = "" })
    at[part.id] = number
  end
  local was = kind_before(number + 1)
  replace(number, render.part(part, kind_before(number)))
  -- The block below may now need a blank line above it, or no longer.
  local now = kind_before(number + 1)
  for below = number + 1, now ~= was and #blocks - 1 or 0 do
    if blocks[below].count > 0 then
      replace(below, render.part(view.parts[view.at[blocks[below].part]], now))
      return blocks[below].part
    end
  end
end

--- Appends text to a streaming part.
---@param view copydesk.View
---@param part copydesk.PartInfo
---@param text string
---@return string? below
local function grow(view, part, text)
  local number = at[part.id]
  local placed = number and blocks[number]
  if not placed or not placed.grows or placed.count == 0 or text:find("\r", 1, true) then
    return draw_part(view, part)
  end
  local added = vim.split(text, "\n", { plain = true })
  local row = placed.first + placed.count - 1
  local column = #placed.lines[placed.count]
  placed.lines[placed.count] = placed.lines[placed.count] .. added[1]
  vim.list_extend(placed.lines, added, 2)
  placed.count = #placed.lines
  if placed.fold then
    placed.fold[2] = placed.count - 1
  end
  local before = #placed.marks
  if placed.scan then
    require("copydesk.chat.markdown").conceal(placed)
  end
  shift(number + 1, #added - 1)
  vim.api.nvim_buf_set_text(buffer, row, column, row, column, added)
  put_marks(placed, before + 1)
end

---@param view copydesk.View
local function draw_all(view)
  blocks, at = {}, {}
  local lines, before = {}, nil
  local row = 1
  for number, part in ipairs(view.parts) do
    local block = render.part(part, before) --[[@as copydesk.PlacedBlock]]
    block.part, block.first, block.count = part.id, row, #block.lines
    blocks[number], at[part.id] = block, number
    row = row + block.count
    vim.list_extend(lines, block.lines)
    before = block.count > 0 and block.kind or before
  end
  blocks[#blocks + 1] = { first = row, count = 0, lines = {}, marks = {}, kind = "" }
  local first = view.earlier and "Earlier: go to the first line" or ""
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.list_extend({ first }, lines))
  if view.earlier then
    vim.api.nvim_buf_set_extmark(buffer, marks, 0, 0, { end_col = #first, hl_group = "CopydeskDim" })
  end
  for _, block in ipairs(blocks) do
    put_marks(block)
  end
  draw_tail(view)
end

--- Highlights Markdown while that is cheap: Neovim parses a long text again, whole, whenever its end changes.
local function colour()
  local is_short = vim.api.nvim_buf_line_count(buffer) <= COLOURED
  if is_short ~= is_coloured then
    is_coloured = is_short
    pcall(is_short and require("copydesk.chat.markdown").highlight or vim.treesitter.stop, buffer)
  end
end

--- Whether the buffer still has the rows drawn here; `:edit`, for example, clears them.
---@return boolean
local function is_ours()
  local tail = blocks[#blocks]
  return tail ~= nil and vim.api.nvim_buf_line_count(buffer) == tail.first + tail.count
end

local function draw()
  local view = session.view(shown)
  local changed, ids, tail = dirty, order, is_tail_dirty
  local all = is_all_dirty or not is_ours()
  dirty, order, is_all_dirty, is_tail_dirty = {}, {}, false, false
  keeping(function()
    if not view then
      blocks, at = { { first = 1, count = 0, lines = {}, marks = {}, kind = "" } }, {}
      vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, { "" })
      replace(1, require("copydesk.chat.welcome").block())
      return colour()
    elseif all then
      local back = remember()
      draw_all(view)
      colour()
      return back()
    end
    for _, id in ipairs(ids) do
      local part = view.parts[view.at[id] or 0]
      local below
      if part and changed[id] == true then
        below = draw_part(view, part)
      elseif part then
        below = grow(view, part, changed[id])
      end
      if below then
        changed[below] = true
      end
    end
    if tail then
      draw_tail(view)
    end
    colour()
  end)
end

local function frame()
  is_scheduled, last_frame = false, vim.uv.now()
  if not M.buffer() then
    return
  end
  local trace
  local went, problem = xpcall(draw, function(problem)
    trace = debug.traceback()
    return problem
  end)
  if went then
    return
  end
  is_all_dirty = true
  if tostring(problem):find("E565", 1, true) then
    -- Textlock: an expression that waits for a key is being evaluated.
    is_scheduled = true
    vim.defer_fn(frame, limits.textlock_retry)
  else
    require("copydesk.message").broken(problem, trace)
  end
end

local function schedule()
  if is_scheduled or not M.buffer() then
    return
  end
  is_scheduled = true
  local wait = limits.frame - (vim.uv.now() - last_frame)
  if wait <= 0 then
    vim.schedule(frame)
  else
    vim.defer_fn(frame, wait)
  end
end

---@param id string
---@param text? string
local function touch(id, text)
  if dirty[id] == nil then
    order[#order + 1] = id
    dirty[id] = text or true
  elseif not text then
    dirty[id] = true
  elseif dirty[id] ~= true then
    dirty[id] = dirty[id] .. text
  end
  schedule()
end

session.listen(function(view, what, subject, detail)
  if view.id ~= shown then
    return
  end
  if what == "part" then
    touch(subject.id)
  elseif what == "delta" then
    touch(subject.id, subject.content.kind ~= "call" and detail or nil)
  elseif what == "turn" then
    is_tail_dirty = true
    schedule()
  elseif what ~= "session" then
    is_all_dirty = true
    schedule()
  end
end)

--- Draws the end again: the asks, or what an empty conversation says.
function M.redraw_tail()
  is_tail_dirty = true
  schedule()
end

ask.listen(M.redraw_tail)

--- The buffer, created if needed.
---@return integer
function M.ensure()
  if not M.buffer() then
    buffer = vim.fn.bufadd(M.name)
    vim.fn.bufload(buffer)
    local options = vim.bo[buffer]
    options.buftype, options.bufhidden, options.swapfile = "nofile", "hide", false
    options.buflisted, options.undolevels, options.modifiable = false, -1, false
    options.filetype = "copydesk"
    is_coloured, is_all_dirty = false, true
  end
  return buffer
end

--- Shows a session, or nothing.
---@param view? copydesk.View
function M.show(view)
  shown = view and view.id
  is_all_dirty = true
  schedule()
end

--- Whether every known change is drawn.
---@return boolean
function M.is_drawn()
  return not is_scheduled
end

---@return string?
function M.shown()
  return shown
end

return M
