--- `review [quickfix|before|after|rules]`: lists the undecided hunks, also as a quickfix list; or sets when edits are reviewed.

local message = require("copydesk.message")

local M = { summary = "review [quickfix|before|after|rules]: list what is undecided; choose when to review" }

local words = { "quickfix", "before", "after", "rules" }

local confirmations = {
  before = "from the next edit on: edits wait for your approval",
  after = "edits are made at once; you review them afterwards",
  rules = "the rules decide whether edits wait for your approval",
}

---@param when "before"|"after"|"rules"
local function choose(when)
  local problem, view = require("copydesk.await").await(function(done)
    require("copydesk.session").ensure(done)
  end)
  if view then
    local params = { session = view.id, review = when ~= "rules" and when or nil }
    problem = require("copydesk.client").await_request(require("copydesk.protocol").methods.sessionSetReview, params)
  end
  if problem then
    return message.error(("the review setting was not changed: %s"):format(problem))
  end
  message.info(confirmations[when])
end

--- Puts all undecided hunks into the quickfix list.
local function quickfix()
  local state, summary = require("copydesk.review.state"), require("copydesk.review.summary")
  local items = {}
  for _, one in ipairs(state.all()) do
    local bufnr = require("copydesk.buffer").of(one.uri)
    local name = vim.startswith(one.uri, "file:") and vim.uri_to_fname(one.uri) or one.path
    if one.file then
      items[#items + 1] = { bufnr = bufnr, filename = name, lnum = 1, text = summary.file(one) }
    end
    for _, hunk in ipairs(summary.ordered(one)) do
      items[#items + 1] = { bufnr = bufnr, filename = name, lnum = hunk.line + 1, text = summary.hunk(one, hunk.hunk) }
    end
  end
  if #items == 0 then
    return message.info("nothing is undecided")
  end
  vim.fn.setqflist({}, " ", { title = "Copydesk: undecided", items = items })
  vim.cmd("copen")
end

function M.run(args)
  local what = args[1]
  if #args > 1 or what and not vim.list_contains(words, what) then
    local given = table.concat(args, " ")
    return message.error(("`review` takes `quickfix`, `before`, `after` or `rules`, not `%s`"):format(given))
  elseif not what then
    require("copydesk.review.list").open()
  elseif what == "quickfix" then
    quickfix()
  else
    choose(what)
  end
end

function M.complete(lead, args)
  return #args == 0 and require("copydesk.command").beginning(words, lead) or {}
end

return M
