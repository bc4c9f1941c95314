--- Decides at the cursor: the hunk under it, lines of hunks, the file.
---
--- Contract: every function is called in a coroutine. The cursor moves only by `review.advance`, after a decision.

local message = require("copydesk.message")
local hunk_lines = require("copydesk.review.hunk_lines")

local M = {}

local NOTHING = "there is nothing to decide here; `:Copydesk next` goes to the next hunk"

--- The review of a file that the agent created, deleted or renamed.
---@param bufnr integer
---@return copydesk.ReviewState?
local function file_review(bufnr)
  for _, one in ipairs(require("copydesk.review").of_buffer(bufnr)) do
    if one.file then
      return one
    end
  end
end

--- The lines of a hunk that some of its rows select. A virtual line goes with the row at its place; those beyond the last row go with
--- the last.
---@param found copydesk.LocatedHunk
---@param first integer From 0, in the buffer.
---@param last integer
---@return copydesk.HunkLines? lines Nil if all are selected.
local function lines_of(found, first, last)
  local from, to = math.max(0, first - found.first), math.min(found.count - 1, last - found.first)
  if from == 0 and to == found.count - 1 then
    return nil
  end
  local _, others = hunk_lines.virtual(found.one, found.hunk)
  local real, virtual = {}, {}
  for line = from, to do
    real[#real + 1] = line
  end
  for line = from, math.min(to == found.count - 1 and others - 1 or to, others - 1) do
    virtual[#virtual + 1] = line
  end
  if found.one.when == "after" then
    return { old = virtual, new = real }
  end
  return { old = real, new = virtual }
end

---@param found copydesk.LocatedHunk
---@param verdict copydesk.ReviewVerdict
---@param more? table
---@return { session: string, decision: copydesk.ReviewDecision }
local function decision(found, verdict, more)
  local hunk = found.hunk
  local one = vim.tbl_extend("error", { hunk = hunk.hunk, expected = hunk.expected, verdict = verdict }, more or {})
  return { session = found.one.session, decision = one }
end

--- The document window of a command, also of one run in the conversation.
---@param window? integer
---@return integer
local function window_of(window)
  window = window or vim.api.nvim_get_current_win()
  local is_document = require("copydesk.buffer").is_document(vim.api.nvim_win_get_buf(window))
  return not is_document and require("copydesk.chat").origin() or window
end

--- The hunks in a range of lines.
---@param bufnr integer
---@param range { first: integer, last: integer } From 1.
---@return copydesk.LocatedHunk[]
function M.within(bufnr, range)
  local first, last = range.first - 1, range.last - 1
  return vim.tbl_filter(function(found)
    if found.count == 0 then
      return found.first >= first and found.first <= last
    end
    return found.first <= last and found.first + found.count > first
  end, require("copydesk.review.draw").all(bufnr))
end

--- The hunk under the cursor.
---@param window? integer
---@return copydesk.LocatedHunk?
function M.under_cursor(window)
  window = window or 0
  local row = vim.api.nvim_win_get_cursor(window)[1] - 1
  return require("copydesk.review.draw").at(vim.api.nvim_win_get_buf(window), row)
end

---@param bufnr integer
---@param verdict copydesk.ReviewVerdict
---@param range? { first: integer, last: integer }
---@param comment? string
---@param window integer
---@return { session: string, decision: copydesk.ReviewDecision }[]
local function decisions(bufnr, verdict, range, comment, window)
  if range then
    local chosen = {}
    for _, found in ipairs(M.within(bufnr, range)) do
      local lines = found.count > 0 and lines_of(found, range.first - 1, range.last - 1) or nil
      chosen[#chosen + 1] = decision(found, verdict, { lines = lines, comment = comment })
    end
    return chosen
  end
  local found = M.under_cursor(window)
  if found then
    return { decision(found, verdict, { comment = comment }) }
  end
  local one = file_review(bufnr)
  if not one then
    return {}
  end
  local file = { hunk = one.file.hunk, expected = one.file.expected, verdict = verdict, comment = comment }
  return { { session = one.session, decision = file } }
end

--- Decides the hunk under the cursor, or the lines in a range.
---@param verdict copydesk.ReviewVerdict
---@param range? { first: integer, last: integer } From 1.
---@param comment? string
---@param window? integer
function M.decide(verdict, range, comment, window)
  window = window_of(window)
  local bufnr = vim.api.nvim_win_get_buf(window)
  require("copydesk.review").settle(bufnr)
  local found = not range and verdict == "reject" and M.under_cursor(window)
  if found and found.one.writing then
    -- It cannot be decided yet, but it can be cancelled.
    return require("copydesk.inline").cancel(found.one)
  end
  local chosen = decisions(bufnr, verdict, range, comment, window)
  if #chosen == 0 then
    return message.info(NOTHING)
  end
  local is_done = require("copydesk.review.decide").all(chosen)
  if is_done and require("copydesk.config").get().review.advance then
    if vim.api.nvim_get_current_win() == window then
      require("copydesk.review.navigation").step(1, true)
    end
  end
end

--- Decides everything in the file.
---@param verdict copydesk.ReviewVerdict
---@param window? integer
function M.decide_file(verdict, window)
  local bufnr = vim.api.nvim_win_get_buf(window_of(window))
  require("copydesk.review").settle(bufnr)
  local reviews = require("copydesk.review").of_buffer(bufnr)
  if #reviews == 0 then
    return message.info("nothing in this file is undecided; `:Copydesk next` goes to the next file with hunks")
  end
  require("copydesk.review.decide").reviews(reviews, verdict, reviews[1].path)
end

--- Decides everything.
---@param verdict copydesk.ReviewVerdict
function M.decide_all(verdict)
  local reviews = require("copydesk.review.state").all()
  local _, files = require("copydesk.review").count()
  if #reviews == 0 then
    return message.info("nothing is undecided")
  end
  local where = files == 1 and reviews[1].path or ("%d files"):format(files)
  require("copydesk.review.decide").reviews(reviews, verdict, where)
end

--- Comments on lines without deciding them.
---@param text? string The user is asked if nil.
---@param range? { first: integer, last: integer } From 1.
---@param window? integer
function M.comment(text, range, window)
  window = window_of(window)
  local bufnr, found = vim.api.nvim_win_get_buf(window), M.under_cursor(window)
  local current = require("copydesk.session").current()
  local session = found and found.one.session or current and current.id
  if not session then
    return message.info("no session is open to comment in; `:Copydesk ask` starts one")
  elseif not require("copydesk.buffer").is_document(bufnr) then
    return message.info("a comment needs lines of a file; this window shows none")
  end
  local line, lines = vim.api.nvim_win_get_cursor(window)[1] - 1, 1
  if range then
    line, lines = range.first - 1, range.last - range.first + 1
  elseif found then
    line, lines = found.first, math.max(1, found.count)
  end
  text = text or require("copydesk.pick").input("Comment: ")
  if not text then
    return
  end
  M.say(session, require("copydesk.buffer").uri(bufnr), line, lines, text)
end

--- Sends the agent a comment on lines, for its next step.
---@param session string
---@param uri string
---@param line integer From 0.
---@param lines integer
---@param text string
function M.say(session, uri, line, lines, text)
  local params = { session = session, uri = uri, line = line, lines = lines, text = text }
  local method = require("copydesk.protocol").methods.reviewComment
  local problem, result = require("copydesk.client").await_request(method, params)
  if not result then
    return message.error(("the comment was not accepted: %s"):format(problem))
  end
  local many = result.comments == 1 and "1 comment waits" or ("%d comments wait"):format(result.comments)
  message.info(many .. " for the agent's next step")
end

--- Opens the proposed text for editing.
---@param window? integer
function M.edit(window)
  local found = M.under_cursor(window_of(window))
  if not found then
    message.info(NOTHING)
  elseif found.one.when == "after" then
    message.info("these lines are in the buffer already: edit them there, then accept the hunk")
  elseif found.hunk.newLines > #found.hunk.new then
    message.info(("%d lines are too many to edit here; accept the hunk first"):format(found.hunk.newLines))
  elseif found.hunk.newCut and #found.hunk.newCut > 0 then
    local bytes = found.hunk.newCut[1].bytes
    message.info(("a line of %d bytes is too long to edit here; accept the hunk first"):format(bytes))
  else
    require("copydesk.review.edit").open(found)
  end
end

return M
