-- A mock daemon in Lua that knows reviews: it gets the old and the new text of a file, finds the hunks, and decides on
-- request. `R.sent` holds the plugin's requests. Loaded after `init.lua` and `person.lua`.
R = { sent = {}, reviews = {}, seq = 0, next = 6, outcome = {} }

require("copydesk.progress")
local methods = require("copydesk.protocol").methods
local session = require("copydesk.session")

local diff = vim.text and vim.text.diff or vim.diff

local function slice(lines, first, count)
  return vim.list_slice(lines, first, first + count - 1)
end

local function split(text)
  return text == "" and {} or vim.split((text:gsub("\n$", "")), "\n", { plain = true })
end

-- The bytes that differ: everything between the common prefix and suffix of two lines.
local function words(old, new)
  local found = {}
  for line = 1, math.min(#old, #new) do
    local a, b, head, tail = old[line], new[line], 0, 0
    while head < math.min(#a, #b) and a:byte(head + 1) == b:byte(head + 1) do head = head + 1 end
    while tail < math.min(#a, #b) - head and a:byte(#a - tail) == b:byte(#b - tail) do tail = tail + 1 end
    if head + tail > 0 and a ~= b then
      found[#found + 1] = { line = line - 1, old = { { head, #a - tail } }, new = { { head, #b - tail } } }
    end
  end
  return found
end

local function hunks_of(id, old, new, when)
  local a, b, hunks = split(old), split(new), {}
  for number, found in ipairs(diff(old, new, { result_type = "indices", ctxlen = 0 })) do
    local from, count = found[when == "after" and 3 or 1], found[when == "after" and 4 or 2]
    local hunk = {
      hunk = id .. "." .. number,
      line = count == 0 and from or from - 1,
      old = slice(a, found[2] == 0 and found[1] + 1 or found[1], found[2]),
      new = slice(b, found[4] == 0 and found[3] + 1 or found[3], found[4]),
      oldLines = found[2],
      newLines = found[4],
      by = { "p1" },
    }
    hunk.words = words(hunk.old, hunk.new)
    hunk.expected = vim.fn.sha256(vim.inspect({ hunk.old, hunk.new })):sub(1, 8)
    hunks[number] = hunk
  end
  return hunks
end

local function figures(review)
  review.total, review.additions, review.deletions = #review.hunks, 0, 0
  for _, hunk in ipairs(review.hunks) do
    review.additions, review.deletions = review.additions + hunk.newLines, review.deletions + hunk.oldLines
  end
  review.expected = ("all of %d"):format(review.total)
  return review
end

-- Sends an event about a review, with these hunks.
function R.tell(review, hunks, gone)
  R.seq = R.seq + 1
  local told = vim.tbl_extend("force", review, { hunks = hunks })
  local event = { event = "reviewChanged", review = told, gone = gone }
  session.handle_event({ session = "s1", seq = R.seq, event = vim.deepcopy(event) })
end

-- A file with the agent's edit. It is written, and opened unless it is to stay closed.
function R.edit(name, old, new, options)
  options = options or {}
  local when = options.when or "after"
  R.next = R.next + 1
  local path = vim.fs.joinpath(vim.uv.fs_realpath(vim.fn.getcwd()), name)
  local text = when == "after" and new or old
  if not options.absent then
    local file = assert(io.open(path, "w"))
    file:write(text)
    file:close()
  end
  if not options.closed then vim.cmd.edit({ args = { name }, mods = { silent = true } }) end
  local review = figures({
    review = tostring(R.next),
    uri = vim.uri_from_fname(path),
    path = name,
    when = when,
    ask = options.ask,
    file = options.file,
    hunks = hunks_of(tostring(R.next), old, new, when),
  })
  R.reviews[#R.reviews + 1] = review
  R.tell(review, review.hunks)
  return review.review
end

function R.review(id)
  for at, review in ipairs(R.reviews) do
    if review.review == id then return review, at end
  end
end

-- Removes hunks.
function R.gone(id, ids)
  local review = R.review(id)
  review.hunks = vim.tbl_filter(function(hunk) return not vim.list_contains(ids, hunk.hunk) end, review.hunks)
  figures(review)
  R.tell(review, {}, ids)
end

-- Changes a hunk by `change`.
function R.changes(id, hunk_id, change)
  local review = R.review(id)
  for _, hunk in ipairs(review.hunks) do
    if hunk.hunk == hunk_id then
      change(hunk)
      hunk.oldLines, hunk.newLines = #hunk.old, #hunk.new
      hunk.expected = hunk.expected .. "'"
      R.tell(figures(review), { hunk })
    end
  end
end

local function decide(decision)
  local answer = { hunk = decision.hunk, outcome = "done" }
  local set = R.outcome[decision.hunk]
  if set and not decision.confirmed then
    return vim.tbl_extend("force", answer, set)
  end
  for _, review in ipairs(vim.list_slice(R.reviews)) do
    if review.review == decision.hunk then
      review.file = nil
      R.gone(review.review, vim.tbl_map(function(hunk) return hunk.hunk end, review.hunks))
    elseif not decision.lines then
      for _, hunk in ipairs(review.hunks) do
        if hunk.hunk == decision.hunk then
          R.gone(review.review, { hunk.hunk })
          break
        end
      end
      if review.file and review.file.hunk == decision.hunk then
        review.file = nil
        R.tell(figures(review), {})
      end
    end
  end
  return answer
end

local answers = {
  [methods.sessionLoad] = function()
    local call = {
      kind = "call", name = "edit", arguments = "{}", output = { title = "Edited cart.rs", metadata = {} },
    }
    local part = { id = "p1", turn = 1, created = 1, content = call, state = { kind = "completed" } }
    return {
      session = { id = "s1", title = "Work", folder = vim.fn.getcwd(), agent = "build" },
      parts = { part }, earlier = false, seq = R.seq,
    }
  end,
  [methods.reviewList] = function(params)
    if params.session ~= "s1" then return { reviews = {}, comments = 0 } end
    local reviews = {}
    for _, review in ipairs(vim.deepcopy(R.reviews)) do
      if not params.uri or params.uri == review.uri then
        review.hunks = vim.list_slice(review.hunks, 1, 1000)
        if review.total > 0 or review.file then reviews[#reviews + 1] = review end
      end
    end
    return { reviews = reviews, comments = 0 }
  end,
  [methods.reviewDecide] = function(params)
    return { decided = vim.tbl_map(decide, params.decisions) }
  end,
  [methods.reviewComment] = function()
    R.comments = (R.comments or 0) + 1
    return { comments = R.comments }
  end,
  [methods.sessionSetReview] = function()
    return { session = { id = "s1" } }
  end,
}

require("copydesk.client").request = function(method, params, done)
  R.sent[#R.sent + 1] = { method = method:match("[^/]*/[^/]*$"), params = vim.deepcopy(params) }
  vim.schedule(function()
    local answer = answers[method] and answers[method](params)
    done(not answer and "there is no such method" or nil, answer, not answer and -32601 or nil)
  end)
end

-- The requests of a method, without the session.
function R.asked(method)
  local found = {}
  for _, sent in ipairs(R.sent) do
    if sent.method == method then
      sent.params.session = nil
      found[#found + 1] = next(sent.params) and sent.params or vim.empty_dict()
    end
  end
  R.sent = {}
  return found
end

-- The background of each cell as a letter: added lines and the words that differ in them, removed lines, struck lines.
local letters = { CopydeskAdd = "+", CopydeskAddWord = "*", CopydeskDelete = "-", CopydeskDeleteWord = "=" }
local struck = { ["-"] = "~", ["="] = "%" }

-- The screen; below each row with hunks, the backgrounds of its cells.
function R.picture()
  local rows = vim.split(T.screen(), "\n")
  local by_colour, picture = {}, {}
  for name, letter in pairs(letters) do
    by_colour[vim.api.nvim_get_hl(0, { name = name }).bg] = letter
  end
  for row, text in ipairs(rows) do
    picture[#picture + 1] = text
    local cells = {}
    for column = 1, vim.o.columns do
      local attributes = vim.api.nvim__inspect_cell(1, row - 1, column - 1)[2] or {}
      local letter = by_colour[attributes.background] or " "
      cells[column] = attributes.strikethrough and struck[letter] or letter
    end
    local line = table.concat(cells):gsub("%s+$", "")
    if line ~= "" then picture[#picture + 1] = line end
  end
  return table.concat(picture, "\n")
end

function R.start()
  return T.await(function(done)
    session.open("s1", function(problem) done(problem or "open") end)
  end)
end
