--- Inline edits: the model rewrites lines by an instruction, and its text is a proposed hunk in their place.
---
--- Contract: the text does not change before the user accepts. The proposal is drawn as any proposed hunk; until there is
--- something to draw, a mark at the lines says that the model is writing. Functions are called in a coroutine.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods

local M = {}

local marks = vim.api.nvim_create_namespace("copydesk.inline")

---@type table<string, { bufnr: integer, mark: integer }> The marks of edits that have nothing to show yet, by review.
local pending_marks = {}
local is_listening = false

--- How many starts wait for their answer, and the edits that ended meanwhile: that news may come before the answer.
local starting = 0
---@type table<string, boolean>
local ended_early = {}

---@param review string
local function unmark(review)
  local one = pending_marks[review]
  pending_marks[review] = nil
  if one and vim.api.nvim_buf_is_valid(one.bufnr) then
    vim.api.nvim_buf_del_extmark(one.bufnr, marks, one.mark)
  end
end

--- Removes the marks of edits that have something to show.
local function remove_stale_marks()
  for _, one in ipairs(require("copydesk.review.state").all()) do
    if pending_marks[one.id] and one.total > 0 then
      unmark(one.id)
    end
  end
end

--- Whether a review belongs to an inline edit.
---@param one copydesk.ReviewState
---@return boolean
function M.is(one)
  return one.when == "before" and not one.ask
end

--- Ends an inline edit, with the reason if it failed.
---@param review string
---@param why? string
function M.ended(review, why)
  ended_early[review] = starting > 0 or nil
  unmark(review)
  if why then
    message.warn(why)
  end
end

--- The current session, created if needed.
---@return copydesk.View?
local function session()
  local problem, view = require("copydesk.await").await(function(done)
    require("copydesk.session").ensure(done)
  end)
  if not view then
    message.error(("the inline edit was not started: %s"):format(problem))
  end
  return view
end

--- Lets the model rewrite a piece of a buffer.
---@param bufnr integer
---@param piece copydesk.ContextPiece
---@param instruction string
function M.start(bufnr, piece, instruction)
  local view = session()
  if not view then
    return
  end
  if not is_listening then
    is_listening = true
    require("copydesk.review").listen(remove_stale_marks)
  end
  local item = piece.item
  local params = { session = view.id, uri = item.uri, range = item.range, instruction = instruction }
  starting = starting + 1
  local problem, result = client.ask(methods.inlineStart, params)
  starting = starting - 1
  local is_over = result and ended_early[result.review]
  ended_early = starting > 0 and ended_early or {}
  if not result then
    return message.error(("the inline edit was not started: %s"):format(problem))
  end
  if not is_over and vim.api.nvim_buf_is_valid(bufnr) then
    local row = math.min(item.range.start.line, vim.api.nvim_buf_line_count(bufnr) - 1)
    local mark = vim.api.nvim_buf_set_extmark(bufnr, marks, row, 0, {
      virt_text = { { ("  %s is being rewritten"):format(piece.label), "CopydeskHint" } },
      virt_text_pos = "eol",
    })
    pending_marks[result.review] = { bufnr = bufnr, mark = mark }
    remove_stale_marks()
  end
end

--- Lets the model revise its text; without an instruction it tries again.
---@param one copydesk.ReviewState
---@param instruction? string
function M.refine(one, instruction)
  local params = { session = one.session, review = one.id, instruction = instruction }
  local problem, result = client.ask(methods.inlineRefine, params)
  if not result then
    message.error(problem)
  end
end

--- Cancels an inline edit.
---@param one copydesk.ReviewState
function M.cancel(one)
  local problem, result = client.ask(methods.inlineCancel, { session = one.session, review = one.id })
  if not result then
    message.error(problem)
  end
end

return M
