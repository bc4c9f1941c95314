--- Goes to where a change is now: to its hunk in the review if it is undecided, else to where its lines are.
---
--- Contract: uses document windows only. A deleted file is not created again.

local navigation = require("copydesk.review.navigation")
local hunk_lines = require("copydesk.review.hunk_lines")

local M = {}

--- The best guess for the row of a hunk in a text that has changed since.
---@param bufnr integer
---@param hunk copydesk.DiffHunk
---@return integer From 0.
local function row_of(bufnr, hunk)
  local wanted, offset = hunk.added, 0
  if #wanted == 0 and hunk.above and hunk.below then
    wanted, offset = { hunk.above, hunk.below }, 1
  end
  local row = #wanted > 0 and hunk_lines.find(bufnr, wanted, {}, math.max(0, hunk.line - 1 - offset)) or nil
  return math.min(row and row + offset or hunk.line - 1, vim.api.nvim_buf_line_count(bufnr) - 1)
end

--- Shows a hunk in the current window.
---@param hunk? copydesk.DiffHunk
local function look(hunk)
  if hunk then
    vim.api.nvim_win_set_cursor(0, { math.max(0, row_of(0, hunk)) + 1, 0 })
    vim.cmd("normal! ^zvzz")
  end
end

--- The hunk of a row: its own, or the first one below it.
---@param item copydesk.ChangeItem
---@return copydesk.DiffHunk?
local function hunk_of(item)
  if item.hunk then
    return item.hunk
  end
  for _, call in ipairs(item.call and { item.call } or item.file and item.file.calls or {}) do
    local hunks = require("copydesk.changes.diff").read(call.diff)
    if hunks[1] then
      return hunks[1]
    end
  end
end

--- Previews a row in the current window.
---@param item copydesk.ChangeItem
function M.preview(item)
  if not item.file or not navigation.open(vim.uri_from_fname(item.file.path), true) then
    return
  end
  local left = item.left[1]
  if left and left.hunk then
    navigation.show_hunk(left.one, left.hunk)
  else
    look(hunk_of(item))
  end
end

--- Goes to the change of a row.
---@param item copydesk.ChangeItem
---@return boolean went
function M.go(item)
  local path, left = item.file.path, item.left[1]
  local uri = vim.uri_from_fname(path)
  if not require("copydesk.buffer").of(uri) and not vim.uv.fs_stat(path) then
    local name = require("copydesk.buffer").shown(uri)
    require("copydesk.message").info(("`%s` no longer exists"):format(name))
    return false
  elseif left and left.hunk then
    navigation.go_to(left.one, left.hunk)
    return true
  end
  require("copydesk.chat.jump").go({ path = path })
  if require("copydesk.buffer").of(uri) == vim.api.nvim_get_current_buf() then
    look(hunk_of(item))
  end
  return true
end

return M
