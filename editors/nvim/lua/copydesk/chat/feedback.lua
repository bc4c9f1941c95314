--- What the user decided or said about the agent's edits, as far as the model has not read it yet.
---
--- Contract: pure; a line per kind, and one per comment. When the model has read it, the daemon's note replaces it.

local render = require("copydesk.chat.render")

local M = {}

--- How many places a line names.
local MAX_PLACES = 8

---@param item copydesk.FeedbackInfo
---@return string
local function place(item)
  if item.line == 0 then
    return item.path
  end
  return require("copydesk.context.piece").with_lines(item.path, item.line, item.line + math.max(item.lines, 1) - 1)
end

--- Draws decisions and comments.
---@param items? copydesk.FeedbackInfo[]
---@return copydesk.Block?
function M.block(items)
  if not items or #items == 0 then
    return nil
  end
  local places, comments = { accepted = {}, rejected = {} }, {} ---@type table<string, string[]>, string[]
  for _, item in ipairs(items) do
    if item.comment then
      comments[#comments + 1] = ("You %s %s: %s"):format(item.kind, place(item), item.comment)
    elseif places[item.kind] then
      table.insert(places[item.kind], place(item))
    end
  end
  local lines = {}
  for _, kind in ipairs({ "accepted", "rejected" }) do
    local named = vim.list_slice(places[kind], 1, MAX_PLACES)
    local more = #places[kind] - #named
    if #named > 0 then
      local rest = more > 0 and (" and %d more"):format(more) or ""
      lines[#lines + 1] = ("You %s %s%s"):format(kind, table.concat(named, ", "), rest)
    end
  end
  vim.list_extend(lines, comments)
  lines[#lines + 1] = "The agent has not read this yet."
  local block = { lines = { "" }, marks = {}, kind = "feedback" } ---@type copydesk.Block
  for _, line in ipairs(lines) do
    block.lines[#block.lines + 1] = (line:gsub("%c+", " "))
    render.mark(block, #block.lines - 1, "CopydeskDim")
  end
  return block
end

return M
