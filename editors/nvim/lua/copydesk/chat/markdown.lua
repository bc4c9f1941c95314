--- Markdown in the transcript: colours, and hidden marks.
---
--- Contract: only the model's texts and our own fences have hidden marks, because a file name such as `__init__.py` in another line
--- must show as it is. The text stays in the buffer, so that it can be yanked. A text that grows is looked at once, line by line.

local M = {}

---@class copydesk.MarkdownScan
---@field row integer The first row that was not looked at, from 0.
---@field fence? string The fence that is open there.

--- Hides a piece of a line.
---@param block copydesk.Block
---@param row integer
---@param from integer
---@param to integer
function M.hide(block, row, from, to)
  if to > from then
    block.marks[#block.marks + 1] = { row = row, col = from, options = { end_col = to, conceal = "" } }
  end
end

--- Where a run of a mark that has this very length begins, after a place.
---@param line string
---@param mark string
---@param after integer
---@return integer?
local function find_run(line, mark, after)
  local pattern = mark:sub(1, 1) == "`" and "`+" or "%*+"
  local from, to = line:find(pattern, after)
  while from and to - from + 1 ~= #mark do
    from, to = line:find(pattern, to + 1)
  end
  return from
end

--- Hides the marks of code and bold text in a line.
---@param block copydesk.Block
---@param row integer
---@param line string
local function hide_inline(block, row, line)
  local at = 1
  while true do
    local from = line:find("[`*]", at)
    if not from then
      return
    end
    local mark = line:match("^`+", from) or line:match("^%*+", from)
    local is_code, after = vim.startswith(mark, "`"), from + #mark
    local is_bold = mark == "**" and line:find("^%S", after) ~= nil
    local close = (is_code or is_bold) and find_run(line, mark, after) or nil
    if close and (is_code or line:find("^%S", close - 1)) then
      M.hide(block, row, from - 1, after - 1)
      M.hide(block, row, close - 1, close - 1 + #mark)
      if is_bold then
        -- What closes opens nothing.
        line = line:sub(1, close - 1) .. "  " .. line:sub(close + 2)
      end
    end
    -- Bold text may contain code, code contains nothing.
    at = is_code and close and close + #mark or after
  end
end

--- Hides the marks in the lines of a block that were not looked at. The last line of one that grows is left for later.
---@param block copydesk.Block
function M.conceal(block)
  local scan = block.scan or { row = 0 }
  for row = scan.row, #block.lines - (block.grows and 2 or 1) do
    local line = block.lines[row + 1]
    local fence = line:match("^%s*(```+)") or line:match("^%s*(~~~+)")
    local is_end = scan.fence and fence and vim.startswith(fence, scan.fence) and line:match("^%s*[`~]+%s*$")
    if is_end or fence and not scan.fence then
      M.hide(block, row, 0, #line)
      scan.fence = not is_end and fence or nil
    elseif not scan.fence then
      hide_inline(block, row, line)
    end
    scan.row = row + 1
  end
  block.scan = scan
end

---@type table<string, string>? The colours of Markdown without its hidden marks, by language.
local queries

--- Reads the queries of Markdown without their directives to conceal.
---@return table<string, string>
local function plain_queries()
  local plain = {}
  for _, language in ipairs({ "markdown", "markdown_inline" }) do
    local texts = {}
    for _, path in ipairs(vim.treesitter.query.get_files(language, "highlights")) do
      local file = io.open(path)
      texts[#texts + 1] = file and file:read("*a") or ""
      if file then
        file:close()
      end
    end
    plain[language] = table.concat(texts, "\n"):gsub('%(#set! conceal[%w_]* "[^"]*"%)', "")
  end
  return plain
end

--- Colours a buffer.
---@param buffer integer
function M.highlight(buffer)
  queries = queries or plain_queries()
  vim.treesitter.highlighter.new(vim.treesitter.get_parser(buffer, "markdown"), { queries = queries })
end

return M
