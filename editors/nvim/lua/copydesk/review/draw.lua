--- Draws hunks in their buffers: the agent's lines beside the old ones.
---
--- Contract: each hunk is anchored by an extmark of its own, so that typing moves it along; its marks are touched only when that
--- hunk or its layout changes. Makes no requests; a hunk that is not found in the text is returned and not drawn.

local mark = require("copydesk.review.mark")
local hunk_lines = require("copydesk.review.hunk_lines")

local M = {}

local places, looks = mark.places, mark.looks

--- The notes about files.
local notes = vim.api.nvim_create_namespace("copydesk.review.notes")

---@class copydesk.DrawnBuffer
---@field by_key table<string, copydesk.DrawnHunk>
---@field by_range table<integer, copydesk.DrawnHunk>
---@field file? string The note about the file itself, at its first line.
---@field touched integer How many hunks were drawn or erased so far.

---@type table<integer, copydesk.DrawnBuffer>
local drawn = {}

---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@return string
local function key_of(one, hunk)
  return one.session .. "/" .. hunk.hunk
end

--- The current rows of a hunk.
---@param bufnr integer
---@param id integer
---@return integer? first
---@return integer count
local function rows_of(bufnr, id)
  local locate = vim.api.nvim_buf_get_extmark_by_id(bufnr, places, id, { details = true })
  if not locate[1] then
    return nil, 0
  end
  local last = locate[3].end_row or locate[1]
  -- If lines were joined, it ends inside one.
  return locate[1], last - locate[1] + ((locate[3].end_col or 0) > 0 and last > locate[1] and 1 or 0)
end

--- The row at which to draw a hunk.
---@param bufnr integer
---@param one copydesk.ReviewState
---@param hunk copydesk.HunkInfo
---@param last? integer
---@return integer?
---@return boolean is_sure
local function place_of(bufnr, one, hunk, last)
  local lines, _, cut = hunk_lines.real(one, hunk)
  if #lines == 0 then
    local row = math.min(hunk.line, vim.api.nvim_buf_line_count(bufnr))
    return row, not require("copydesk.review.watch").is_typing(bufnr)
  end
  return hunk_lines.find(bufnr, lines, cut, hunk.line, last), true
end

--- The row of a drawn hunk; one after the last, if it is at the end of the text.
---@param bufnr integer
---@param item copydesk.DrawnHunk
---@return integer?
local function row_of(bufnr, item)
  local row = rows_of(bufnr, item.range)
  return row and item.is_end and row == vim.api.nvim_buf_line_count(bufnr) - 1 and row + 1 or row
end

--- Shows in the first line what happened to the file itself.
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

--- Draws the hunks that are not drawn yet or have changed, and erases those that are gone.
---@param bufnr integer A loaded buffer.
---@param reviews copydesk.ReviewState[] All reviews of its document.
---@return copydesk.HunkInfo[] lost Hunks whose lines were not found, or not for certain.
---@return boolean has_changed
function M.update(bufnr, reviews)
  local buffer = drawn[bufnr] or { by_key = {}, by_range = {}, touched = 0 }
  drawn[bufnr] = buffer
  local layout, lost, wanted, before = require("copydesk.review.layout").of(bufnr), {}, {}, buffer.touched
  local seen = ("%d %d %d %s"):format(layout.width, layout.fill, layout.tabstop, layout.is_diff)
  for _, one in ipairs(reviews) do
    for _, hunk in pairs(one.hunks) do
      local key = key_of(one, hunk)
      wanted[key] = true
      local item = buffer.by_key[key]
      if item then
        item.one = one
      end
      if not item or item.hunk ~= hunk or item.layout ~= seen then
        local last = item and row_of(bufnr, item) or nil
        local row, is_sure = last, true
        if not item or not last or item.hunk ~= hunk then
          row, is_sure = place_of(bufnr, one, hunk, last)
        end
        if row then
          item = item or { marks = {}, above = 0 }
          mark.wipe(bufnr, item)
          item.one, item.hunk, item.layout = one, hunk, seen
          mark.draw(bufnr, item, row, layout)
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
      mark.wipe(bufnr, item)
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

--- Drops the marks of a buffer whose text was replaced.
---@param bufnr integer
function M.forget(bufnr)
  drawn[bufnr] = nil
  if vim.api.nvim_buf_is_valid(bufnr) then
    vim.api.nvim_buf_clear_namespace(bufnr, places, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, looks, 0, -1)
    vim.api.nvim_buf_clear_namespace(bufnr, notes, 0, -1)
  end
end

---@class copydesk.LocatedHunk
---@field bufnr integer
---@field one copydesk.ReviewState
---@field hunk copydesk.HunkInfo
---@field first integer Its first row, from 0.
---@field count integer How many rows of the text it has.

---@param bufnr integer
---@param item copydesk.DrawnHunk
---@return copydesk.LocatedHunk?
local function locate(bufnr, item)
  local first, count = rows_of(bufnr, item.range)
  return first and { bufnr = bufnr, one = item.one, hunk = item.hunk, first = first, count = count } or nil
end

--- The hunks of a buffer, in text order.
---@param bufnr integer
---@return copydesk.LocatedHunk[]
function M.all(bufnr)
  local all = {}
  for _, item in pairs(drawn[bufnr] and drawn[bufnr].by_key or {}) do
    all[#all + 1] = locate(bufnr, item)
  end
  table.sort(all, function(a, b)
    if a.first ~= b.first then
      return a.first < b.first
    end
    return a.count < b.count or a.count == b.count and a.hunk.hunk < b.hunk.hunk
  end)
  return all
end

--- The hunk at a row. A hunk without rows counts at the row above and the row below it.
---@param bufnr integer
---@param row integer
---@return copydesk.LocatedHunk?
function M.at(bufnr, row)
  local buffer = drawn[bufnr]
  if not buffer then
    return nil
  end
  local near ---@type copydesk.LocatedHunk?
  local options = { overlap = true, limit = 100 }
  for _, range in ipairs(vim.api.nvim_buf_get_extmarks(bufnr, places, { row, 0 }, { row + 1, 0 }, options)) do
    local item = buffer.by_range[range[1]]
    local one = item and locate(bufnr, item)
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

--- The number of a hunk in its buffer, and how many there are.
---@param one copydesk.LocatedHunk
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

--- The buffers in which something is drawn.
---@return integer[]
function M.buffers()
  return vim.tbl_keys(drawn)
end

--- How many virtual rows are above the first line of a buffer.
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
