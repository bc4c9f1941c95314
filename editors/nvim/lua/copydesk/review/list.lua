--- The list of undecided hunks by file, with their size and the calls that made them.
---
--- Contract: follows the daemon's events. Moving through it previews each hunk in its document; the user can decide here, too.

local panel = require("copydesk.panel")
local summary = require("copydesk.review.summary")

local M = {}

---@param verdict copydesk.ReviewVerdict
---@param items copydesk.ListItem[]
local function decide(verdict, items)
  local reviews, decisions = {}, {}
  for _, item in ipairs(items) do
    if not item.hunk then
      reviews[item.one] = true
    elseif not reviews[item.one] then
      local hunk = item.hunk
      local decision = { hunk = hunk.hunk, expected = hunk.expected, verdict = verdict }
      decisions[#decisions + 1] = { session = item.one.session, decision = decision }
    end
  end
  local whole = vim.tbl_keys(reviews)
  if #whole > 0 then
    local where = #whole == 1 and whole[1].path or ("%d files"):format(#whole)
    if not require("copydesk.review.decide").reviews(whole, verdict, where) then
      return
    end
  end
  if #decisions > 0 then
    require("copydesk.review.decide").all(decisions)
  end
end

--- Comments on a hunk, or on the file's first line.
---@param item copydesk.ListItem
local function comment(item)
  local text = require("copydesk.pick").input(("Comment on %s: "):format(item.one.path))
  if not text then
    return
  end
  local line, count = 0, 1
  for _, at in ipairs(item.hunk and summary.ordered(item.one) or {}) do
    if at.hunk == item.hunk then
      line, count = at.line, select(2, require("copydesk.review.hunk_lines").real(item.one, item.hunk))
    end
  end
  require("copydesk.review.at_cursor").say(item.one.session, item.one.uri, line, math.max(1, count), text)
end

---@type copydesk.Panel
local list = {
  name = "review",
  title = "Undecided",
  help = "a accept  r reject  c comment  <CR> go there",
  rows = function()
    return require("copydesk.review.rows").all()
  end,
  keys = {
    {
      lhs = "a",
      modes = { "n", "x" },
      says = "accept",
      run = function(items)
        decide("accept", items)
      end,
    },
    {
      lhs = "r",
      modes = { "n", "x" },
      says = "reject",
      run = function(items)
        decide("reject", items)
      end,
    },
    {
      lhs = "c",
      modes = { "n" },
      says = "comment",
      run = function(items)
        comment(items[1])
      end,
    },
    {
      lhs = "<CR>",
      modes = { "n" },
      says = "go to the hunk",
      run = function(items)
        M.leave()
        require("copydesk.review.navigation").go_to(items[1].one, items[1].hunk)
      end,
    },
  },
  show = function(item)
    if require("copydesk.review.navigation").open(item.one.uri, true) then
      require("copydesk.review.navigation").show_hunk(item.one, item.hunk)
    end
  end,
}

--- Keeps what the list previews.
function M.leave()
  panel.keep(list)
end

--- Opens the list and puts the cursor in it.
function M.open()
  if require("copydesk.review").count() == 0 then
    return require("copydesk.message").info("nothing is undecided")
  end
  panel.open(list, require("copydesk.config").get().review.list)
end

require("copydesk.review").listen(function()
  vim.schedule(function()
    panel.update(list)
  end)
end)

return M
