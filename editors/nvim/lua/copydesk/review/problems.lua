--- The problems in the new lines of a hunk, shown at the ends of those lines.
---
--- Contract: pure, except that it skips messages that Neovim already shows there.

local M = {}

--- The cap on a message.
local MAX_MESSAGE_CHARS = 120

local GROUPS = {
  error = "DiagnosticVirtualTextError",
  warning = "DiagnosticVirtualTextWarn",
  information = "DiagnosticVirtualTextInfo",
  hint = "DiagnosticVirtualTextHint",
}

---@param text any
---@return string
local function one_line(text)
  text = type(text) == "string" and vim.trim((text:gsub("%c+", " "))) or ""
  return vim.fn.strchars(text) > MAX_MESSAGE_CHARS and vim.fn.strcharpart(text, 0, MAX_MESSAGE_CHARS - 1) .. "…" or text
end

--- Whether Neovim already shows this message at its line.
---@param bufnr integer
---@param row integer
---@param message string
---@return boolean
local function is_seen(bufnr, row, message)
  local config = vim.diagnostic.config() or {}
  if not config.virtual_text and not config.virtual_lines then
    return false
  end
  for _, one in ipairs(vim.diagnostic.get(bufnr, { lnum = row })) do
    if one_line(one.message) == message then
      return true
    end
  end
  return false
end

--- The virtual texts, by row.
---@param bufnr integer
---@param hunk copydesk.HunkInfo
---@param first integer The row of the hunk's first line.
---@return table<integer, string[][]>
function M.texts(bufnr, hunk, first)
  local found = {} ---@type table<integer, string[][]>
  for _, problem in ipairs(hunk.problems or {}) do
    local row, message = first + problem.line, one_line(problem.message)
    if problem.line < hunk.newLines and not is_seen(bufnr, row, message) then
      local group = GROUPS[problem.severity] or GROUPS.error
      local words = problem.code and ("%s %s"):format(one_line(problem.code), message) or message
      found[row] = found[row] or {}
      table.insert(found[row], { ("  ✗ %s"):format(words), group })
    end
  end
  return found
end

--- The number of problems for the hint; nil if there are none.
---@param hunk copydesk.HunkInfo
---@return string?
function M.count(hunk)
  local count = #(hunk.problems or {})
  return count > 0 and (count == 1 and "1 new problem" or ("%d new problems"):format(count)) or nil
end

return M
