--- Inline edits: the model rewrites lines by an instruction, and its text is a proposed hunk in their place.
---
--- Contract: the text does not change before the user accepts. The proposal is drawn as any proposed hunk; until there is
--- something to draw, a mark at the lines says that the model is writing. Functions are called in a coroutine.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods

local M = {}

local marks = vim.api.nvim_create_namespace("copydesk.inline")

--- The marks of edits that have nothing to show yet, by review, each with its session and number of lines.
---@type table<string, { bufnr: integer, mark: integer, session: string, lines: integer }>
local pending_marks = {}
local is_listening = false

--- The starts that wait for their answer, with what waits for them; and the edits that ended meanwhile: that news may come before
--- the answer.
---@type { bufnr: integer, first: integer, last: integer, waiting: fun()[] }[]
local starts = {}
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
  ended_early[review] = #starts > 0 or nil
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
  local range = item.range
  local this = { bufnr = bufnr, first = range.start.line, last = range["end"].line, waiting = {} }
  starts[#starts + 1] = this
  local problem, result = client.await_request(methods.inlineStart, params)
  starts = vim.tbl_filter(function(other)
    return other ~= this
  end, starts)
  local is_over = result and ended_early[result.review]
  ended_early = #starts > 0 and ended_early or {}
  if not result then
    message.error(("the inline edit was not started: %s"):format(problem))
  elseif not is_over and vim.api.nvim_buf_is_valid(bufnr) then
    local row = math.min(item.range.start.line, vim.api.nvim_buf_line_count(bufnr) - 1)
    local mark = vim.api.nvim_buf_set_extmark(bufnr, marks, row, 0, {
      virt_text = { { ("  %s is being rewritten"):format(piece.label), "CopydeskHint" } },
      virt_text_pos = "eol",
    })
    local lines = this.last - this.first + 1
    pending_marks[result.review] = { bufnr = bufnr, mark = mark, session = view.id, lines = lines }
    remove_stale_marks()
  end
  for _, done in ipairs(this.waiting) do
    done()
  end
end

--- The open inline edit of some lines, also one that has nothing to show yet. Waits for one that is being started.
---@param bufnr integer
---@param first integer From 0.
---@param last integer
---@return { id: string, session: string }?
function M.at(bufnr, first, last)
  for _, start in ipairs(starts) do
    if start.bufnr == bufnr and start.first <= last and start.last >= first then
      require("copydesk.await").await(function(done)
        table.insert(start.waiting, done)
      end)
      break
    end
  end
  for review, one in pairs(pending_marks) do
    local place = one.bufnr == bufnr and vim.api.nvim_buf_get_extmark_by_id(bufnr, marks, one.mark, {})[1]
    if place and place <= last and place + one.lines > first then
      return { id = review, session = one.session }
    end
  end
  for _, found in ipairs(require("copydesk.review.at_cursor").within(bufnr, { first = first + 1, last = last + 1 })) do
    if M.is(found.one) then
      return found.one
    end
  end
end

--- Lets the model revise its text; without an instruction it tries again.
---@param one { id: string, session: string }
---@param instruction? string
function M.refine(one, instruction)
  local params = { session = one.session, review = one.id, instruction = instruction }
  local problem, result = client.await_request(methods.inlineRefine, params)
  if not result then
    message.error(problem)
  end
end

--- Cancels an inline edit.
---@param one copydesk.ReviewState
function M.cancel(one)
  local problem, result = client.await_request(methods.inlineCancel, { session = one.session, review = one.id })
  if not result then
    message.error(problem)
  end
end

return M
