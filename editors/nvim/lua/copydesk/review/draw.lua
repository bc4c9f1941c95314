--- Hunks in their buffers: what the agent wrote beside what was there.
---
--- Contract: a hunk is anchored by a mark of its own, so that typing moves it and nothing drifts; the marks of a hunk are touched
--- only when that hunk has changed or has to look different. Nothing here asks the desk; what cannot be found in the text is
--- given back, and is not drawn.

local place = require("copydesk.review.place")

local M = {}

--- The ranges of the hunks, each one mark.
local places = vim.api.nvim_create_namespace("copydesk.review.places")
--- All else that is seen of them.
local looks = vim.api.nvim_create_namespace("copydesk.review")

--- What is said of files.
local notes = vim.api.nvim_create_namespace("copydesk.review.notes")

--- Below diagnostics, above the highlights of language servers.
local PRIORITY = 150

---@class copydesk.Drawn
---@field one copydesk.Reviewed
---@field hunk copydesk.Hunk
---@field range integer The mark of its lines.
---@field marks integer[] The others.
---@field look string What its look depended on besides the hunk.
---@field is_end boolean Whether it is after the last line of the text.
---@field above integer How many rows of it are above its first line.

---@class copydesk.DrawnBuffer
---@field by_key table<string, copydesk.Drawn>
---@field by_range table<integer, copydesk.Drawn>
---@field file? string What is said of the file itself, at its first line.
---@field touched integer How many hunks were drawn or erased since it was begun.

---@type table<integer, copydesk.DrawnBuffer>
local drawn = {}

---@class copydesk.Look How the windows of a buffer want it.
---@field width integer
---@field fill integer
---@field tabstop integer
---@field is_diff boolean

--- How many columns a window has before its text, the signs that are about to come included.
---@param window integer
---@param info table What `getwininfo` says of it.
---@return integer
local function margin(window, info)
  local options = vim.wo[window]
  local columns = tonumber(options.foldcolumn) or 0
  if options.number or options.relativenumber then
    local digits = #tostring(vim.api.nvim_buf_line_count(info.bufnr))
    columns = columns + math.max(options.numberwidth, digits + 1)
  end
  local has_signs = next(require("copydesk.config").get().review.signs) ~= nil
  if has_signs and options.signcolumn:find("^[ay]") then
    columns = columns + 2
  end
  return math.max(info.textoff, options.statuscolumn == "" and columns or 0)
end

---@param bufnr integer
---@return copydesk.Look
local function look_of(bufnr)
  local look = { width = math.huge, fill = 0, tabstop = vim.bo[bufnr].tabstop, is_diff = false }
  for _, window in ipairs(vim.fn.win_findbuf(bufnr)) do
    local info = vim.fn.getwininfo(window)[1]
    local width = info.width - margin(window, info)
    look.width, look.fill = math.min(look.width, width), math.max(look.fill, info.width)
    look.is_diff = look.is_diff or vim.wo[window].diff
  end
  look.width = look.width == math.huge and vim.o.columns or math.max(10, look.width)
  look.fill = math.max(look.fill, look.width)
  return look
end

---@param one copydesk.Reviewed
---@param hunk copydesk.Hunk
---@return string
local function key_of(one, hunk)
  return one.session .. "/" .. hunk.hunk
end

--- The rows of a hunk by now.
---@param bufnr integer
---@param mark integer
---@return integer? first
---@return integer count
local function rows_of(bufnr, mark)
  local found = vim.api.nvim_buf_get_extmark_by_id(bufnr, places, mark, { details = true })
  if not found[1] then
    return nil, 0
  end
  local last = found[3].end_row or found[1]
  -- Where lines were joined, it ends within one.
  return found[1], last - found[1] + ((found[3].end_col or 0) > 0 and last > found[1] and 1 or 0)
end

--- Which words of the lines on a side are others.
---@param hunk copydesk.Hunk
---@param side "old"|"new"
---@return table<integer, integer[][]>
local function words_of(hunk, side)
  local words = {}
  for _, line in ipairs(hunk.words or {}) do
    words[line.line] = line[side]
  end
  return words
end

---@param one copydesk.Reviewed
---@param hunk copydesk.Hunk
---@return string? sign
---@return string group
local function sign_of(one, hunk)
  local signs = require("copydesk.config").get().review.signs
  if one.when == "before" then
    return signs.proposed, "CopydeskProposedSign"
  elseif hunk.newLines == 0 then
    return signs.removed, "CopydeskRemovedSign"
  elseif hunk.oldLines == 0 then
    return signs.added, "CopydeskAddedSign"
  end
  return signs.changed, "CopydeskChangedSign"
end

--- The lines that are not in the text, at their place.
---@param bufnr integer
---@param item copydesk.Drawn
---@param row integer
---@param count integer
---@param look copydesk.Look
local function draw_virtual(bufnr, item, row, count, look)
  local one, hunk = item.one, item.hunk
  local lines, total = place.virtual(one, hunk)
  local is_after = one.when == "after"
  if total == 0 then
    return
  end
  local rows = require("copydesk.review.lines").rows({
    lines = lines,
    total = total,
    words = words_of(hunk, is_after and "old" or "new"),
    group = is_after and "CopydeskDelete" or "CopydeskNew",
    word_group = is_after and "CopydeskDeleteWord" or "CopydeskNewWord",
    width = look.width,
    fill = look.fill,
    tabstop = look.tabstop,
    most = require("copydesk.config").get().review.virtual_lines,
  })
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local is_empty = last == 0 and vim.api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == ""
  -- Proposed lines come after the old ones. At the end of the text, and in one without any, there is nothing to be above.
  local is_above = (is_after or count == 0) and row <= last and not (count == 0 and is_empty)
  local at = is_above and row or count == 0 and math.min(row, last) or row + count - 1
  item.above = is_above and #rows or 0
  item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, math.min(at, last), 0, {
    virt_lines = rows,
    virt_lines_above = is_above,
    priority = PRIORITY,
    strict = false,
  })
end

--- Draws a hunk whose first line is known.
---@param bufnr integer
---@param item copydesk.Drawn
---@param row integer
---@param look copydesk.Look
local function draw(bufnr, item, row, look)
  local one, hunk = item.one, item.hunk
  local _, count = place.real(one, hunk)
  local last = vim.api.nvim_buf_line_count(bufnr) - 1
  local is_after = one.when == "after"
  local group = is_after and "CopydeskAdd" or "CopydeskOld"
  item.is_end = row > last
  item.range = vim.api.nvim_buf_set_extmark(bufnr, places, math.min(row, last), 0, {
    id = item.range,
    end_row = count > 0 and row + count or math.min(row, last),
    end_col = 0,
    hl_group = count > 0 and not look.is_diff and group or nil,
    hl_eol = true,
    priority = PRIORITY,
    strict = false,
  })
  local sign, sign_group = sign_of(one, hunk)
  item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, math.min(row, last), 0, {
    end_row = count > 1 and math.min(row + count - 1, last) or nil,
    sign_text = sign,
    sign_hl_group = sign and sign_group or nil,
    number_hl_group = sign_group,
    priority = PRIORITY,
    strict = false,
  })
  if look.is_diff then
    -- Rows between the lines would part the two sides.
    return
  end
  draw_virtual(bufnr, item, row, count, look)
  for line, ranges in pairs(words_of(hunk, is_after and "new" or "old")) do
    for _, range in ipairs(ranges) do
      item.marks[#item.marks + 1] = vim.api.nvim_buf_set_extmark(bufnr, looks, row + line, range[1], {
        end_col = range[2],
        hl_group = is_after and "CopydeskAddWord" or "CopydeskOldWord",
        priority = PRIORITY + 1,
        strict = false,
      })
    end
  end
end

---@param bufnr integer
---@param item copydesk.Drawn
local function wipe(bufnr, item)
  for _, mark in ipairs(item.marks) do
    vim.api.nvim_buf_del_extmark(bufnr, looks, mark)
  end
  item.marks, item.above = {}, 0
end

--- Where a hunk is to be drawn.
---@param bufnr integer
---@param one copydesk.Reviewed
---@param hunk copydesk.Hunk
---@param last? integer
---@return integer?
---@return boolean is_sure
local function place_of(bufnr, one, hunk, last)
  local lines = place.real(one, hunk)
  if #lines == 0 then
    local row = math.min(hunk.line, vim.api.nvim_buf_line_count(bufnr))
    return row, not require("copydesk.review.watch").is_typing(bufnr)
  end
  return place.find(bufnr, lines, hunk.line, last), true
end

--- The row of a hunk that is drawn; the one after the last, where it is there.
---@param bufnr integer
---@param item copydesk.Drawn
---@return integer?
local function row_of(bufnr, item)
  local row = rows_of(bufnr, item.range)
  return row and item.is_end and row == vim.api.nvim_buf_line_count(bufnr) - 1 and row + 1 or row
end

--- Says in the first line what became of the file itself.
---@param bufnr integer
---@param buffer copydesk.DrawnBuffer
---@param text? string
local function draw_file(bufnr, buffer, text)
  if buffer.file == text then
    return
  end
  buffer.file = text
  vim.api.nvim_buf_clear_namespace(bufnr, notes, 0, -1)
  if text then
    vim.api.nvim_buf_set_extmark(bufnr, notes, 0, 0, {
      virt_text = { { text .. " ", "CopydeskHint" } },
      virt_text_pos = "right_align",
      hl_mode = "combine",
    })
  end
end

--- Draws what of some reviews is not drawn as it should be, and erases what is none of them.
---@param bufnr integer A loaded buffer.
---@param reviews copydesk.Reviewed[] All of its document.
---@return copydesk.Hunk[] lost Those whose lines are not there, or may be elsewhere.
---@return boolean has_changed
function M.update(bufnr, reviews)
  local buffer = drawn[bufnr] or { by_key = {}, by_range = {}, touched = 0 }
  drawn[bufnr] = buffer
  local look, lost, wanted, before = look_of(bufnr), {}, {}, buffer.touched
  local seen = ("%d %d %d %s"):format(look.width, look.fill, look.tabstop, look.is_diff)
  for _, one in ipairs(reviews) do
    for _, hunk in pairs(one.hunks) do
      local key = key_of(one, hunk)
      wanted[key] = true
      local item = buffer.by_key[key]
      if item then
        item.one = one
      end
      if not item or item.hunk ~= hunk or item.look ~= seen then
        local last = item and row_of(bufnr, item) or nil
        local row, is_sure = last, true
        if not item or not last or item.hunk ~= hunk then
          row, is_sure = place_of(bufnr, one, hunk, last)
        end
        if row then
          item = item or { marks = {}, above = 0 }
          wipe(bufnr, item)
          item.one, item.hunk, item.look = one, hunk, seen
          draw(bufnr, item, row, look)
          buffer.by_key[key], buffer.by_range[item.range] = item, item
          buffer.touched = buffer.touched + 1
        end
        if not row or not is_sure then
          lost[#lost + 1] = hunk
        end
      end
    end
  end
  for key, item in pairs(buffer.by_key) do
    if not wanted[key] then
      wipe(bufnr, item)
      vim.api.nvim_buf_del_extmark(bufnr, places, item.range)
      buffer.by_key[key], buffer.by_range[item.range] = nil, nil
      buffer.touched = buffer.touched + 1
    end
  end
  local about
  for _, one in ipairs(reviews) do
    about = about or one.file and require("copydesk.review.summary").file(one)
  end
  draw_file(bufnr, buffer, about)
  if not next(buffer.by_key) and #lost == 0 and not about then
    drawn[bufnr] = nil
  end
  return lost, buffer.touched ~= before
end

--- The text of a buffer is another one: its marks mean nothing any more.
---@param bufnr integer
function M.forget(bufnr)
  drawn[bufnr] = nil
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, places, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, looks, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, notes, 0, -1)
  end
end

---@class copydesk.Found
---@field bufnr integer
---@field one copydesk.Reviewed
---@field hunk copydesk.Hunk
---@field first integer Its first row, from 0.
---@field count integer How many rows of the text it has.

---@param bufnr integer
---@param item copydesk.Drawn
---@return copydesk.Found?
local function found(bufnr, item)
  local first, count = rows_of(bufnr, item.range)
  return first and { bufnr = bufnr, one = item.one, hunk = item.hunk, first = first, count = count } or nil
end

--- The hunks of a buffer, in the order of the text.
---@param bufnr integer
---@return copydesk.Found[]
function M.all(bufnr)
  local all = {}
  for _, item in pairs(drawn[bufnr] and drawn[bufnr].by_key or {}) do
    all[#all + 1] = found(bufnr, item)
  end
  table.sort(all, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    return a.count < b.count or a.count == b.count and a.hunk.hunk < b.hunk.hunk
  end)
  return all
end

--- The hunk that a row is in. One without rows is at the row below it, and at the row above it.
---@param bufnr integer
---@param row integer
---@return copydesk.Found?
function M.at(bufnr, row)
  local buffer = drawn[bufnr]
  if not buffer then
    return nil
  end
  local near ---@type copydesk.Found?
  local options = { overlap = true, limit = 100 }
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, places, { row, 0 }, { row + 1, 0 }, options)) do
    local item = buffer.by_range[mark[1]]
    local one = item and found(bufnr, item)
    if one and one.first <= row and row < one.first + one.count then
      return one
    elseif one and one.count == 0 and one.first == row then
      near = one
    elseif one and one.count == 0 and not near and not item.is_end and one.first == row + 1 then
      near = one
    end
  end
  return near
end

--- Which of the hunks of its buffer one is, and how many there are.
---@param one copydesk.Found
---@return integer number
---@return integer total
function M.number(one)
  local before = vim.api.nvim_buf_get_extmarks(one.bufnr, places, 0, { one.first, 0 }, {})
  return math.max(1, #before), vim.tbl_count(drawn[one.bufnr].by_key)
end

--- Whether a buffer has hunks.
---@param bufnr integer
---@return boolean
function M.has(bufnr)
  return drawn[bufnr] ~= nil and next(drawn[bufnr].by_key) ~= nil
end

--- Whether anything is drawn in a buffer.
---@param bufnr integer
---@return boolean
function M.is_begun(bufnr)
  return drawn[bufnr] ~= nil
end

--- The buffers that have any.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(drawn)
end

--- How many rows are above the first line of a buffer.
---@param bufnr integer
---@return integer
function M.above_first(bufnr)
  local rows = 0
  for _, item in pairs(drawn[bufnr] and drawn[bufnr].by_key or {}) do
    if item.above > 0 and rows_of(bufnr, item.range) == 0 then
      rows = rows + item.above
    end
  end
  return rows
end

--- How many hunks were drawn or erased in a buffer; for tests.
---@param bufnr integer
---@return integer
function M.touched(bufnr)
  return drawn[bufnr] and drawn[bufnr].touched or 0
end

return M
