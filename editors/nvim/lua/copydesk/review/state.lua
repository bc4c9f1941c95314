--- The undecided hunks as the daemon sent them: by session, by review, by hunk.
---
--- Contract: only holds state; draws nothing and makes no requests. A hunk that is sent again unchanged keeps its table, so that
--- drawing code sees at once that it is the same.

local M = {}

---@class copydesk.ReviewState
---@field session string
---@field id string
---@field uri string
---@field path string
---@field when copydesk.ReviewTimingInfo
---@field ask? string
---@field writing? boolean An inline edit that the model still writes.
---@field expected string
---@field file? copydesk.FileHunkInfo
---@field hunks table<string, copydesk.HunkInfo> By id; capped to the first ones.
---@field total integer
---@field additions integer
---@field deletions integer

---@type table<string, table<string, copydesk.ReviewState>> By session and review.
local known = {}

---@param session string
---@param info copydesk.ReviewInfo
---@param hunks table<string, copydesk.HunkInfo>
---@return copydesk.ReviewState
local function make_review(session, info, hunks)
  return {
    session = session,
    id = info.review,
    uri = info.uri,
    path = info.path,
    when = info.when,
    ask = info.ask,
    writing = info.writing,
    expected = info.expected,
    file = info.file,
    hunks = hunks,
    total = info.total,
    additions = info.additions,
    deletions = info.deletions,
  }
end

--- Stores received hunks; unchanged ones keep their tables.
---@param before table<string, copydesk.HunkInfo>
---@param info copydesk.HunkInfo[]
---@param into table<string, copydesk.HunkInfo>
local function store_hunks(before, info, into)
  for _, hunk in ipairs(info) do
    local older = before[hunk.hunk]
    into[hunk.hunk] = older and vim.deep_equal(older, hunk) and older or hunk
  end
end

--- Replaces the state of a session, or of one document in it, by a list of the daemon.
---@param session string
---@param reviews copydesk.ReviewInfo[]
---@param uri? string
function M.replace(session, reviews, uri)
  local before = known[session] or {}
  local now = {}
  for id, one in pairs(before) do
    if uri and one.uri ~= uri then
      now[id] = one
    end
  end
  for _, info in ipairs(reviews) do
    local hunks = {}
    store_hunks(before[info.review] and before[info.review].hunks or {}, info.hunks, hunks)
    now[info.review] = make_review(session, info, hunks)
  end
  known[session] = now
end

--- Applies a change of one review.
---@param session string
---@param change copydesk.ReviewChange
function M.change(session, change)
  local info = change.review
  known[session] = known[session] or {}
  if #info.hunks == 0 and not info.file and info.total == 0 then
    known[session][info.review] = nil
    return
  end
  local before = known[session][info.review]
  local hunks = vim.tbl_extend("force", {}, before and before.hunks or {})
  for _, id in ipairs(change.gone or {}) do
    hunks[id] = nil
  end
  store_hunks(hunks, info.hunks, hunks)
  known[session][info.review] = make_review(session, info, hunks)
end

--- Drops a session.
---@param session string
function M.drop(session)
  known[session] = nil
end

--- How many hunks there are, with created, deleted and renamed files; in a session, or in all.
---@param session? string
---@return integer hunks
---@return integer files
function M.count(session)
  local hunks, uris = 0, {}
  for id, reviews in pairs(known) do
    for _, one in pairs(not session and reviews or id == session and reviews or {}) do
      hunks = hunks + M.size(one)
      uris[one.uri] = true
    end
  end
  return hunks, vim.tbl_count(uris)
end

--- How many decisions a review needs at most.
---@param one copydesk.ReviewState
---@return integer
function M.size(one)
  return one.total + (one.file and 1 or 0)
end

--- All reviews, by path; or those of one document.
---@param uri? string
---@return copydesk.ReviewState[]
function M.all(uri)
  local found = {}
  for _, reviews in pairs(known) do
    for _, one in pairs(reviews) do
      if not uri or one.uri == uri then
        found[#found + 1] = one
      end
    end
  end
  table.sort(found, function(a, b)
    if a.path ~= b.path then
      return a.path < b.path
    elseif a.session ~= b.session then
      return a.session < b.session
    end
    return a.id < b.id
  end)
  return found
end

--- The reviews that an ask waits for.
---@param ask string
---@return copydesk.ReviewState[]
function M.of_ask(ask)
  return vim.tbl_filter(function(one)
    return one.ask == ask
  end, M.all())
end

--- The known hunks of a review, in text order.
---@param one copydesk.ReviewState
---@return copydesk.HunkInfo[]
function M.hunks(one)
  local hunks = vim.tbl_values(one.hunks)
  table.sort(hunks, function(a, b)
    return a.line < b.line or a.line == b.line and a.hunk < b.hunk
  end)
  return hunks
end

return M
