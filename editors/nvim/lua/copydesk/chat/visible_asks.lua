--- Where the open asks of the shown session are in the transcript.
---
--- Contract: reads only, from what is drawn.

local ask = require("copydesk.ask")
local transcript = require("copydesk.chat.transcript")

local M = {}

--- The last block, which has the open asks.
---@return copydesk.PlacedBlock?
---@return { item: copydesk.OpenAsk, first: integer, last: integer }[]
local function drawn()
  local blocks = transcript.blocks()
  local tail = blocks[#blocks]
  return tail, tail and tail.asks or {}
end

--- The open ask at a row.
---@param row integer From 0.
---@return copydesk.OpenAsk?
function M.at(row)
  local tail, asks = drawn()
  for _, place in ipairs(asks) do
    if row >= tail.first + place.first and row <= tail.first + place.last then
      return vim.list_contains(ask.list(), place.item) and place.item or nil
    end
  end
end

--- Whether an ask reaches below a window's last row. The asks are the last rows of the transcript.
---@param window integer
---@return boolean
function M.are_below(window)
  local tail, asks = drawn()
  local last = asks[#asks]
  return last ~= nil and vim.fn.line("w$", window) <= tail.first + last.last
end

return M
