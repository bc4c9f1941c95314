--- Sends the user's decisions to the daemon.
---
--- Contract: nothing blocks; the screen changes when the daemon reports the new state. A refused decision is reported once, and the
--- reviews are listed again, because the screen was stale.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods

local M = {}

---@param text string
---@return string
local function first_line(text)
  return vim.split(text, "\n", { plain = true })[1]
end

--- Reports refused decisions in one line.
---@param refused copydesk.ReviewDecisionResult[]
---@param session string
local function report_refused(refused, session)
  local why = first_line(refused[1].message or "the hunk has changed meanwhile")
  if #refused > 1 then
    why = ("%s (and %d more were refused)"):format(why, #refused - 1)
  end
  message.warn(why)
  require("copydesk.review").list(session)
end

--- Sends decisions of one session. Call it in a coroutine.
---@param session string
---@param decisions copydesk.ReviewDecision[]
---@return boolean is_done Whether all of them were carried out.
function M.send(session, decisions)
  local problem, result = client.await_request(methods.reviewDecide, { session = session, decisions = decisions })
  if not result then
    message.error(("nothing was decided: %s"):format(problem))
    return false
  end
  local refused, again = {}, {}
  for number, decided in ipairs(result.decided) do
    if decided.outcome == "refused" then
      refused[#refused + 1] = decided
    elseif decided.outcome == "confirm" then
      local question = first_line(decided.message or "You have typed in this file, and it would be deleted.")
      if require("copydesk.pick").confirm(question, "Delete it", "Keep it") then
        again[#again + 1] = vim.tbl_extend("force", decisions[number], { confirmed = true })
      end
    end
  end
  if #refused > 0 then
    report_refused(refused, session)
  end
  return #refused == 0 and (#again == 0 or M.send(session, again))
end

--- Sends decisions of any sessions. Call it in a coroutine.
---@param decisions { session: string, decision: copydesk.ReviewDecision }[]
---@return boolean is_done
function M.all(decisions)
  local by_session, order = {}, {}
  for _, one in ipairs(decisions) do
    if not by_session[one.session] then
      by_session[one.session] = {}
      order[#order + 1] = one.session
    end
    table.insert(by_session[one.session], one.decision)
  end
  local is_done = true
  for _, session in ipairs(order) do
    is_done = M.send(session, by_session[session]) and is_done
  end
  return is_done
end

--- Decides everything in some reviews; asks before it rejects several hunks. Call it in a coroutine.
---@param reviews copydesk.ReviewState[]
---@param verdict copydesk.ReviewVerdict
---@param where string For the question.
---@return boolean is_done
function M.reviews(reviews, verdict, where)
  local hunks = 0
  for _, one in ipairs(reviews) do
    hunks = hunks + require("copydesk.review.state").size(one)
  end
  if verdict == "reject" and hunks > 1 then
    local question = ("Reject %d hunks in %s?"):format(hunks, where)
    if not require("copydesk.pick").confirm(question, "Reject them", "Leave them") then
      return false
    end
  end
  return M.all(vim.tbl_map(function(one)
    local decision = { hunk = one.id, expected = one.expected, verdict = verdict }
    return { session = one.session, decision = decision }
  end, reviews))
end

return M
