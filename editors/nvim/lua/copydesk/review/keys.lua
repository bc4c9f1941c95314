--- The keys that decide hunks, mapped in a buffer while it has hunks.
---
--- Contract: a default key is skipped if the user has mapped it; a configured key replaces the buffer's own map, which is restored
--- afterwards.

local M = {}

--- The action of each key. `lines` is the selection, from 1, if there is one.
---@type table<string, fun(count: integer, lines?: { first: integer, last: integer })>
local actions = {
  accept = function(_, lines)
    require("copydesk.review.at_cursor").decide("accept", lines)
  end,
  reject = function(_, lines)
    require("copydesk.review.at_cursor").decide("reject", lines)
  end,
  comment = function(_, lines)
    require("copydesk.review.at_cursor").comment(nil, lines)
  end,
  edit = function()
    require("copydesk.review.at_cursor").edit()
  end,
  next = function(count)
    require("copydesk.review.navigation").step(count)
  end,
  previous = function(count)
    require("copydesk.review.navigation").step(-count)
  end,
  accept_file = function()
    require("copydesk.review.at_cursor").decide_file("accept")
  end,
  reject_file = function()
    require("copydesk.review.at_cursor").decide_file("reject")
  end,
}

---@class copydesk.MappedKey
---@field mode string
---@field lhs string
---@field name string
---@field before? table The replaced map, as from `maparg`.

---@type table<integer, copydesk.MappedKey[]>
local mapped = {}

---@param name string
---@param mode string
local function press(name, mode)
  local count, lines = vim.v.count1, nil
  if mode == "x" then
    local first, last = vim.fn.line("v"), vim.fn.line(".")
    lines = { first = math.min(first, last), last = math.max(first, last) }
    local escape = vim.api.nvim_replace_termcodes("<Esc>", true, false, true)
    vim.api.nvim_feedkeys(escape, "nx", false)
  end
  require("copydesk.await").run(function()
    actions[name](count, lines)
  end)
end

--- The map of a key in the current buffer, buffer-local or global.
---@param lhs string
---@param mode string
---@return table?
local function map_of(lhs, mode)
  local found = vim.fn.maparg(lhs, mode, false, true)
  return next(found) and found or nil
end

---@param bufnr integer
---@param name string
---@param mode string
---@param lhs string
local function map(bufnr, name, mode, lhs)
  local default = require("copydesk.config").defaults.review.keys[name]
  local before = map_of(lhs, mode)
  if before and default and default[mode] == lhs then
    return
  end
  vim.keymap.set(mode, lhs, function()
    press(name, mode)
  end, { buffer = bufnr, desc = ("Copydesk: %s"):format((name:gsub("_", " the "))) })
  local keys = mapped[bufnr]
  keys[#keys + 1] = { mode = mode, lhs = lhs, name = name, before = before and before.buffer == 1 and before or nil }
end

--- Maps the keys in a buffer, once.
---@param bufnr integer
function M.map(bufnr)
  if mapped[bufnr] then
    return
  end
  mapped[bufnr] = {}
  vim.api.nvim_buf_call(bufnr, function()
    for name, keys in pairs(require("copydesk.config").get().review.keys) do
      for mode, lhs in pairs(keys) do
        if actions[name] and mode ~= "i" then
          map(bufnr, name, mode, lhs)
        end
      end
    end
  end)
end

--- Removes the keys, and restores the maps they replaced.
---@param bufnr integer
function M.unmap(bufnr)
  local keys = mapped[bufnr]
  mapped[bufnr] = nil
  if not keys or not vim.api.nvim_buf_is_valid(bufnr) then
    return
  end
  vim.api.nvim_buf_call(bufnr, function()
    for _, key in ipairs(keys) do
      local now = map_of(key.lhs, key.mode)
      -- Another plugin may have mapped it meanwhile.
      if now and now.buffer == 1 and vim.startswith(now.desc or "", "Copydesk: ") then
        vim.keymap.del(key.mode, key.lhs, { buffer = bufnr })
        if key.before then
          vim.fn.mapset(key.mode, false, key.before)
        end
      end
    end
  end)
end

--- The Normal-mode key of each action in a buffer.
---@param bufnr integer
---@return table<string, string>
function M.mapped(bufnr)
  local keys = {}
  for _, key in ipairs(mapped[bufnr] or {}) do
    if key.mode == "n" then
      keys[key.name] = key.lhs
    end
  end
  return keys
end

return M
