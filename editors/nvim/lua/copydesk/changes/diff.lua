--- Parses the hunks of a unified diff: each run of added and removed lines, without its context lines.
---
--- Contract: pure; never throws. Input that is not a diff has no hunks.

local M = {}

---@class copydesk.DiffHunk
---@field line integer Its first new line, from 1; for a pure deletion, the line after the removed ones.
---@field added string[] Without line ends.
---@field removed string[]
---@field above? string The line before it, if the diff shows one.
---@field below? string The line after it.

--- The hunks, and whether the file is a new one.
---@param diff any
---@return copydesk.DiffHunk[] hunks
---@return boolean is_new
function M.read(diff)
  if type(diff) ~= "string" then
    return {}, false
  end
  local hunks = {} ---@type copydesk.DiffHunk[]
  -- How many lines of each side are still to come, and the line number on the new side.
  local old, new, line = 0, 0, 0
  local open, above ---@type copydesk.DiffHunk?, string?
  for text in vim.gsplit(diff, "\n", { plain = true }) do
    text = text:gsub("\r$", "")
    local sign, rest = text:sub(1, 1), text:sub(2)
    local olds, first, news = text:match("^@@ %-%d+,?(%d*) %+(%d+),?(%d*) @@")
    if first then
      old, new, line = tonumber(olds) or 1, tonumber(news) or 1, tonumber(first) --[[@as integer]]
      -- For an empty side the header names the line before it.
      line = new == 0 and line + 1 or line
      open, above = nil, nil
    elseif old <= 0 and new <= 0 then
      open, above = nil, nil
    elseif sign == "+" or sign == "-" then
      if not open then
        open = { line = line, added = {}, removed = {}, above = above }
        hunks[#hunks + 1] = open
      end
      if sign == "+" then
        table.insert(open.added, rest)
        new, line = new - 1, line + 1
      else
        table.insert(open.removed, rest)
        old = old - 1
      end
    elseif sign == " " or sign == "" then
      if open then
        open.below, open = rest, nil
      end
      old, new, line, above = old - 1, new - 1, line + 1, rest
    end
  end
  return hunks, vim.startswith(diff, "--- /dev/null")
end

return M
