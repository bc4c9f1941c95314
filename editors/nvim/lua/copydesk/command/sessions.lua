--- `sessions [WORDS]`: picks a session and continues it; with words, one whose messages contain them.
---
--- `sessions rename [WORDS]` and `sessions delete [WORDS]` do that instead; with `!` the user picks the action afterwards.

local await = require("copydesk.await").await
local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods
local pick = require("copydesk.pick")

local M = { summary = "sessions [words|rename|delete]: pick, search, rename, delete" }

--- How many sessions are offered.
local MAX_SESSIONS = 200

---@class copydesk.SessionChoice
---@field id string
---@field session? copydesk.SessionInfo Missing for a search hit that is not among the latest.
---@field title string
---@field excerpt? string Text around the search hit.
---@field running boolean
---@field pending? copydesk.PendingSessionInfo What it does or needs, if it is of this folder.

--- A time as an age in one word.
---@param milliseconds integer
---@return string
local function age(milliseconds)
  local seconds = math.max(0, os.time() - math.floor(milliseconds / 1000))
  for _, unit in ipairs({ { 86400, "d" }, { 3600, "h" }, { 60, "min" } }) do
    if seconds >= unit[1] then
      return ("%d %s"):format(math.floor(seconds / unit[1]), unit[2])
    end
  end
  return "now"
end

---@return string? problem
---@return copydesk.SessionChoice[]?
local function latest()
  local problem, result = client.await_request(methods.sessionList, { limit = MAX_SESSIONS })
  if not result then
    return problem
  end
  local _, daemon = client.await_request(methods.status, {})
  local running = {}
  for _, live in ipairs(daemon and daemon.sessions or {}) do
    running[live.session] = live.running
  end
  local _, listed = client.await_request(methods.sessionPending, { folder = vim.fn.getcwd() })
  local pending = {}
  for _, one in ipairs(listed and listed.sessions or {}) do
    pending[one.session.id] = one
  end
  -- First those of this folder that run or need the user.
  local first, others = {}, {}
  for _, session in ipairs(result.sessions) do
    -- Sessions of subagents are shown inside their parent.
    if not session.parent then
      local choices = pending[session.id] and first or others
      choices[#choices + 1] = {
        id = session.id,
        session = session,
        title = session.title or "(no title)",
        running = running[session.id] or false,
        pending = pending[session.id],
      }
    end
  end
  return nil, vim.list_extend(first, others)
end

--- The sessions whose messages contain the words, each once.
---@param words string
---@param known copydesk.SessionChoice[]
---@return string? problem
---@return copydesk.SessionChoice[]?
local function search(words, known)
  local problem, result = client.await_request(methods.sessionSearch, { query = words, limit = MAX_SESSIONS })
  if not result then
    return problem
  end
  local by_id, choices = {}, {}
  for _, choice in ipairs(known) do
    by_id[choice.id] = choice
  end
  for _, found in ipairs(result.found) do
    local choice = by_id[found.session]
    choice = choice or { id = found.session, title = found.title or "(no title)", running = false }
    if not choice.excerpt then
      choice.excerpt = found.excerpt
      choices[#choices + 1] = choice
    end
  end
  return nil, choices
end

---@param choice copydesk.SessionChoice
---@return string
local function label(choice)
  local words = { choice.running and require("copydesk.config").get().icons.running or " ", choice.title }
  if choice.pending then
    words[#words + 1] = require("copydesk.pending").state(choice.pending)
  end
  if choice.excerpt then
    words[#words + 1] = ("– %s"):format(vim.trim(choice.excerpt))
  end
  if choice.session then
    local folder = choice.session.folder
    local place = folder ~= vim.fn.getcwd() and ", " .. vim.fn.fnamemodify(folder, ":~") or ""
    words[#words + 1] = ("(%s%s)"):format(age(choice.session.updated), place)
  end
  return table.concat(words, " ")
end

---@param choice copydesk.SessionChoice
---@return string[]
local function preview(choice)
  local lines = { choice.title, "" }
  local session = choice.session
  if session then
    local function at(time)
      return os.date("%Y-%m-%d %H:%M", math.floor(time / 1000))
    end
    vim.list_extend(lines, {
      "Folder:  " .. vim.fn.fnamemodify(session.folder, ":~"),
      "Agent:   " .. session.agent,
      "Model:   " .. (session.model or "the default"),
      "Created: " .. at(session.created),
      "Updated: " .. at(session.updated),
    })
  end
  lines[#lines + 1] = choice.running and "A turn is running." or nil
  lines[#lines + 1] = choice.excerpt
  return lines
end

---@type table<string, fun(choice: copydesk.SessionChoice)>
local actions = {
  open = function(choice)
    local problem = await(function(done)
      require("copydesk.session").open(choice.id, done)
    end)
    if problem then
      return message.error(problem)
    end
    require("copydesk.chat").open()
  end,
  rename = function(choice)
    local title = pick.input("New title: ", choice.session and choice.session.title)
    if not title then
      return
    end
    local problem = client.await_request(methods.sessionRename, { session = choice.id, title = title })
    if problem then
      return message.error(("the session was not renamed: %s"):format(problem))
    end
    message.info(("renamed to “%s”"):format(title))
  end,
  delete = function(choice)
    local question = ("Delete “%s” and its whole conversation?"):format(choice.title)
    if choice.running then
      question = question .. " Its running turn is cancelled."
    end
    if not pick.confirm(question, "Delete it", "Keep it") then
      return
    end
    local problem = client.await_request(methods.sessionDelete, { session = choice.id })
    if problem then
      return message.error(("the session was not deleted: %s"):format(problem))
    end
    message.info(("deleted “%s”"):format(choice.title))
  end,
}

---@param words string
---@return copydesk.SessionChoice?
local function choose(words)
  local problem, choices = latest()
  if choices and words ~= "" then
    problem, choices = search(words, choices)
  end
  if not choices then
    message.error(problem)
  elseif #choices == 0 then
    local none = ("no session contains “%s”"):format(words)
    message.info(words == "" and "there are no sessions yet" or none)
  else
    return (pick.select(choices, { prompt = "Session", kind = "session", label = label, preview = preview }))
  end
end

function M.run(args, context)
  local action = actions[args[1]] and args[1]
  local words = action and vim.trim((context.text:gsub("^%S+", "", 1))) or context.text
  local choice = choose(words)
  if not choice then
    return
  end
  if not action and context.bang then
    action = pick.select({ "open", "rename", "delete" }, {
      prompt = choice.title,
      kind = "action",
      label = function(name)
        return name
      end,
    })
    if not action then
      return
    end
  end
  actions[action or "open"](choice)
end

function M.complete(lead, args)
  return #args == 0 and require("copydesk.command").beginning({ "rename", "delete", "open" }, lead) or {}
end

return M
