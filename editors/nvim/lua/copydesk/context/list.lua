--- Lists of the editor as context of a prompt.
---
--- Contract: one line per entry, up to a cap.

local piece = require("copydesk.context.piece")

local M = {}

--- The cap on lines.
local MAX_LINES = 200

local severities = { "error", "warning", "information", "hint" }

--- The diagnostics of a buffer, as the editor shows them.
---@param buffer integer
---@return copydesk.ContextPiece
function M.diagnostics(buffer)
  local all = vim.diagnostic.get(buffer)
  table.sort(all, function(a, b)
    if a.severity ~= b.severity then
      return a.severity < b.severity
    end
    return a.lnum < b.lnum
  end)
  local lines = { #all == 0 and "The editor shows no problems here." or "Problems that the editor shows here:" }
  for at, one in ipairs(all) do
    if at > MAX_LINES then
      lines[#lines + 1] = ("… and %d more"):format(#all - MAX_LINES)
      break
    end
    local who = vim.trim(("%s %s"):format(one.source or "", one.code or ""))
    local text = one.message:gsub("%s*\n%s*", " ")
    local line = ("%d:%d %s: %s"):format(one.lnum + 1, one.col + 1, severities[one.severity], text)
    lines[#lines + 1] = who == "" and line or ("%s [%s]"):format(line, who)
  end
  local item = { uri = require("copydesk.buffer").uri(buffer), text = table.concat(lines, "\n") }
  return { label = "diagnostics of " .. piece.name(buffer), item = item }
end

--- The quickfix list.
---@return copydesk.ContextPiece?
---@return string? problem
function M.quickfix()
  local list = vim.fn.getqflist({ items = true, title = true })
  if #list.items == 0 then
    return nil, "the quickfix list is empty"
  end
  local lines = { list.title ~= "" and list.title or "Quickfix list" }
  for at, entry in ipairs(list.items) do
    if at > MAX_LINES then
      lines[#lines + 1] = ("… and %d more"):format(#list.items - MAX_LINES)
      break
    end
    local name = entry.bufnr > 0 and piece.shown(vim.api.nvim_buf_get_name(entry.bufnr)) or ""
    local place = name == "" and "" or name .. ": "
    if entry.lnum > 0 then
      place = ("%s:%d:%d: "):format(name, entry.lnum, entry.col)
    end
    lines[#lines + 1] = vim.trim(place .. vim.trim(entry.text):gsub("%s*\n%s*", " "))
  end
  return { label = "quickfix list", item = { uri = "nvim:quickfix", text = table.concat(lines, "\n") } }
end

return M
