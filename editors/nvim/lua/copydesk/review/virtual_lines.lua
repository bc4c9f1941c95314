--- Formats lines that are not in the text as virtual lines.
---
--- Contract: pure. Tabs have the buffer's width; a line wider than the window wraps; rows are capped, with a count of the omitted
--- lines. Every row is padded, so that the block has straight edges.

local M = {}

---@class copydesk.VirtualOptions
---@field lines string[]
---@field total integer The number of all lines, if there are more than these.
---@field words table<integer, integer[][]> Byte ranges by line, from 0.
---@field group string
---@field word_group string
---@field width integer Where a line wraps.
---@field fill integer The width to which rows are padded.
---@field tabstop integer
---@field most integer The cap on rows.

--- A character as it is shown at a column: its text and its cells.
---@param letter string
---@param column integer
---@param tabstop integer
---@return string
---@return integer
local function shown(letter, column, tabstop)
  if letter == "\t" then
    local cells = tabstop - column % tabstop
    return (" "):rep(cells), cells
  end
  local byte = letter:byte()
  if #letter == 1 and byte >= 32 and byte < 127 then
    return letter, 1
  elseif #letter == 1 then
    -- A control character, or an invalid byte.
    local text = byte == 0 and "^@" or vim.fn.strtrans(letter)
    return text, vim.fn.strdisplaywidth(text)
  end
  return letter, vim.fn.strdisplaywidth(letter)
end

--- Whether a byte is in one of some sorted ranges.
---@param ranges integer[][]
---@param at integer From 0.
---@return boolean
local function is_in(ranges, at)
  for _, range in ipairs(ranges) do
    if at < range[2] then
      return at >= range[1]
    end
  end
  return false
end

--- The rows of one line.
---@param line string
---@param ranges integer[][]
---@param options copydesk.VirtualOptions
---@param most integer
---@return table[] rows
---@return boolean is_whole
local function rows_of(line, ranges, options, most)
  if #ranges == 0 and #line <= options.width and not line:find("[^\32-\126]") then
    return { { { line .. (" "):rep(options.fill - #line), options.group } } }, true
  end
  local rows, row, cells = {}, {}, 0 ---@type table[], table[], integer
  local text, group = {}, nil ---@type string[], string?
  local column, at = 0, 1
  local function finish_chunk()
    if group and #text > 0 then
      row[#row + 1] = { table.concat(text), group }
    end
    text = {}
  end
  local function finish_row()
    finish_chunk()
    row[#row + 1] = { (" "):rep(math.max(0, options.fill - cells)), options.group }
    rows[#rows + 1] = row
    row, cells = {}, 0
  end
  while at <= #line do
    local length = vim.str_utf_end(line, at) + 1
    local letter, wide = shown(line:sub(at, at + length - 1), column, options.tabstop)
    if cells > 0 and cells + wide > options.width then
      finish_row()
      if #rows == most then
        return rows, false
      end
    end
    local wanted = is_in(ranges, at - 1) and options.word_group or options.group
    if wanted ~= group then
      finish_chunk()
      group = wanted
    end
    text[#text + 1] = letter
    cells, column, at = cells + wide, column + wide, at + length
  end
  finish_row()
  return rows, true
end

--- Formats the rows.
---@param options copydesk.VirtualOptions
---@return table[] For `virt_lines` of an extmark.
function M.rows(options)
  local rows, whole = {}, 0
  for number, line in ipairs(options.lines) do
    local left = options.most - #rows
    if left <= 0 then
      break
    end
    local more, is_whole = rows_of(line, options.words[number - 1] or {}, options, left)
    vim.list_extend(rows, more)
    whole = is_whole and number or whole
  end
  local omitted = options.total - whole
  if omitted > 0 then
    local note = ("… %d more %s"):format(omitted, omitted == 1 and "line" or "lines")
    rows[#rows + 1] = { { note .. (" "):rep(options.fill - vim.fn.strdisplaywidth(note)), "CopydeskDim" } }
  end
  return rows
end

return M
