--- The line above the conversation: title, model, agent, usage.
---
--- Contract: cheap, because Neovim evaluates it on every redraw; figures cover the loaded parts.

local progress = require("copydesk.progress")
local session = require("copydesk.session")

local M = {}

---@type table<string, integer> The context window of each model, in tokens.
local limits = {}
local is_asked = false
---@type uv.uv_timer_t?
local clock

--- Requests the models' context windows, once.
local function learn()
  if is_asked then
    return
  end
  is_asked = true
  local method = require("copydesk.protocol").methods.models
  require("copydesk.client").request(method, {}, function(_, result)
    for _, model in ipairs(result and result.models or {}) do
      limits[model.id] = model.context
    end
    M.redraw()
  end)
end

---@param count integer
---@return string
local function short(count)
  return count < 1000 and tostring(count) or count < 99950 and ("%.1fk"):format(count / 1000) or ("%.0fk"):format(count / 1000)
end

--- A session's usage, from its loaded parts.
---@param view copydesk.View
---@return { tokens: integer, cost: number, model?: string, share?: number }
function M.used(view)
  local used = { tokens = 0, cost = 0, model = view.session.model }
  for number = #view.parts, 1, -1 do
    local content = view.parts[number].content
    if content.kind == "stepFinish" then
      local usage = content.usage
      if used.tokens == 0 then
        used.tokens = usage.input + usage.cacheRead + usage.cacheWrite + usage.output
      end
      used.cost = used.cost + (content.cost or 0)
    elseif content.kind == "call" and content.name == "task" then
      -- The cost of its subagent.
      local shown = content.output and content.output.metadata --[[@as copydesk.TaskMetadata?]]
      used.cost = used.cost + (type(shown) == "table" and tonumber(shown.cost) or 0)
    elseif content.kind == "stepStart" and not used.model then
      used.model = content.model
    end
  end
  local limit = used.model and limits[used.model]
  used.share = limit and limit > 0 and used.tokens / limit or nil
  return used
end

---@param text string
---@return string
local function plain(text)
  return (text:gsub("%c+", " "):gsub("%%", "%%%%"))
end

--- For 'winbar'.
---@return string
function M.text()
  local view = session.view(require("copydesk.chat.transcript").shown())
  if not view then
    return "%#CopydeskTitle# Copydesk"
  end
  learn()
  local used = M.used(view)
  local words = {}
  if used.model then
    words[#words + 1] = used.model
  end
  words[#words + 1] = view.session.agent
  if used.tokens > 0 then
    local share = used.share and (" (%d%%)"):format(math.floor(used.share * 100 + 0.5)) or ""
    words[#words + 1] = short(used.tokens) .. share
  end
  words[#words + 1] = require("copydesk.chat.todo").progress(view)
  words[#words + 1] = progress.jobs(view)
  local undecided = require("copydesk.review").count(view.id)
  if undecided > 0 then
    words[#words + 1] = ("%s%d"):format(require("copydesk.config").get().icons.hunk, undecided)
  end
  if used.cost > 0 then
    words[#words + 1] = used.cost < 0.01 and "<$0.01" or ("$%.2f"):format(used.cost)
  end
  local state = ""
  local seconds = progress.seconds(view)
  if #require("copydesk.ask").list(view.id) > 0 then
    state = ("%%#CopydeskAsk#%s waits for you "):format(require("copydesk.config").get().icons.ask)
  elseif seconds then
    state = ("%%#CopydeskRunning#%s %d s "):format(require("copydesk.config").get().icons.running, seconds)
  end
  local title = plain(view.session.title or "New session")
  title = view.session.parent and "Task: " .. title or title
  -- If both do not fit, the title stays.
  return (" %s%%#CopydeskTitle#%s %%=%%#CopydeskDim#%%<%s "):format(state, title, plain(table.concat(words, " · ")))
end

function M.redraw()
  if require("copydesk.chat").is_visible() then
    -- All windows: the conversation seldom has the focus.
    vim.cmd.redrawstatus({ bang = true })
  end
end

--- Runs the clock while a turn runs.
local function tick()
  local view = session.view(require("copydesk.chat.transcript").shown())
  if clock and not (view and view.running) then
    clock:stop()
    clock:close()
    clock = nil
  elseif not clock and view and view.running then
    clock = assert(vim.uv.new_timer())
    local second = require("copydesk.time_limits").clock
    clock:start(second, second, vim.schedule_wrap(M.redraw))
  end
end

session.listen(function(_, what, part)
  if what ~= "delta" and (what ~= "part" or part.content.kind == "stepFinish") then
    tick()
    vim.schedule(M.redraw)
  end
end)

return M
