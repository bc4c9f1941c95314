--- Shows the keys for the hunk under the cursor, at the end of its first line.
---
--- Contract: one hint at a time, in the focused window, and none in insert mode. Names only keys that are mapped there.

local M = {}

local hints = vim.api.nvim_create_namespace("copydesk.review.hint")

---@type integer? The buffer that shows it.
local shown_in
---@type string? Its text and position.
local shown

--- Removes the hint.
function M.hide()
  if shown_in and vim.api.nvim_buf_is_valid(shown_in) then
    vim.api.nvim_buf_clear_namespace(shown_in, hints, 0, -1)
  end
  shown_in, shown = nil, nil
end

---@param found copydesk.LocatedHunk
---@return string
local function text_of(found)
  local words = { ("%d/%d"):format(require("copydesk.review.draw").number(found)) }
  if found.hunk.deciding then
    words[2] = "being decided"
    return table.concat(words, "  ")
  end
  local keys = require("copydesk.review.keys").mapped(found.bufnr)
  if found.one.writing then
    words[2] = "being written"
    words[3] = keys.reject and ("%s stop"):format(keys.reject) or nil
    return table.concat(words, "  ")
  end
  words[#words + 1] = require("copydesk.review.problems").count(found.hunk)
  local names = { "accept", "reject", "comment" }
  if found.one.when == "before" then
    table.insert(names, 3, "edit")
  end
  for _, name in ipairs(names) do
    if keys[name] then
      words[#words + 1] = ("%s %s"):format(keys[name], name)
    end
  end
  return table.concat(words, "  ")
end

--- Updates the hint after the cursor or the hunks changed.
function M.update()
  local bufnr = vim.api.nvim_get_current_buf()
  local draw = require("copydesk.review.draw")
  local is_wanted = require("copydesk.config").get().review.hint and draw.has(bufnr)
  if not is_wanted or vim.fn.mode():find("^[iRt]") then
    return M.hide()
  end
  local cursor = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found = draw.at(bufnr, cursor)
  if not found then
    return M.hide()
  end
  local row = found.count > 0 and found.first or cursor
  if row + 1 < vim.fn.line("w0") then
    row = cursor
  end
  local text = text_of(found)
  local now = ("%d %d %s"):format(bufnr, row, text)
  local at = shown_in == bufnr and vim.api.nvim_buf_get_extmark_by_id(bufnr, hints, 1, {})[1]
  if now == shown and at == row then
    return
  end
  M.hide()
  vim.api.nvim_buf_set_extmark(bufnr, hints, row, 0, {
    id = 1,
    virt_text = { { "  " .. text, "CopydeskHint" } },
    virt_text_pos = "eol",
    -- "combine" would strike it through on struck lines.
    hl_mode = found.one.when == "after" and "combine" or "replace",
    priority = 10,
  })
  shown_in, shown = bufnr, now
end

return M
