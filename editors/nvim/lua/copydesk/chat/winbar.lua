--- The line above the conversation: title, model, agent, usage.
---
--- Contract: cheap, because Neovim evaluates it on every redraw; figures cover the loaded parts.

local progress = require("copydesk.progress")
local session = require("copydesk.session")

local M = {}

---@type table<string, true> The agents whose default model was requested.
local asked = {}
---@type uv.uv_timer_t?
local clock

--- Requests the models, their context windows and the agent's default, once.
---@param agent? string
local function learn(agent)
  if not asked[agent or ""] and require("copydesk.client").get() then
    asked[agent or ""] = true
    require("copydesk.catalogue").refresh_models(agent)
  end
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
  local catalogue = require("copydesk.catalogue")
  used.model = used.model or catalogue.default_model(view.session.agent)
  local info = catalogue.model(used.model)
  local limit = info and info.context
  used.share = limit and limit > 0 and used.tokens / limit or nil
  return used
end

---@param text string
---@return string
local function plain(text)
  return (text:gsub("%c+", " "):gsub("%%", "%%%%"))
end

--- What the session does: waits for the user, or runs.
---@param view copydesk.View
---@return string text
---@return string group
local function state_of(view)
  local icons, seconds = require("copydesk.config").get().icons, progress.seconds(view)
  if #require("copydesk.ask").list(view.id) > 0 then
    -- Neovim makes the window current while it evaluates its winbar.
    local is_below = require("copydesk.chat.visible_asks").are_below(vim.api.nvim_get_current_win())
    return ("%s %s "):format(icons.ask, is_below and "waits below: G" or "waits for you"), "CopydeskAsk"
  elseif seconds then
    return ("%s %d s "):format(icons.running, seconds), "CopydeskRunning"
  end
  return "", "CopydeskTitle"
end

--- Fits the title and the words beside it into a width: the words that matter least go first, then the title is cut.
---@param width integer
---@param taken integer The columns of the state.
---@param title string
---@param words { rank: integer, text: string }[]
---@return string title
---@return string words
local function fit(width, taken, title, words)
  local left = width - taken - 2
  local function joined()
    return table.concat(vim.tbl_map(function(word)
      return word.text
    end, words), " · ")
  end
  while #words > 0 and vim.fn.strdisplaywidth(title) + vim.fn.strdisplaywidth(joined()) + 2 > left do
    local least = 1
    for number, word in ipairs(words) do
      least = word.rank > words[least].rank and number or least
    end
    table.remove(words, least)
  end
  if vim.fn.strdisplaywidth(title) > left then
    title = vim.fn.strcharpart(title, 0, math.max(1, left - 1)) .. "…"
  end
  return title, joined()
end

--- For 'winbar'.
---@return string
function M.text()
  local view = session.view(require("copydesk.chat.transcript").shown())
  learn(view and view.session.agent)
  if not view then
    local model = require("copydesk.catalogue").default_model()
    return "%#CopydeskTitle# Copydesk %=%#CopydeskDim#%<" .. (model and plain(model) .. " " or "")
  end
  local used = M.used(view)
  local undecided = require("copydesk.review").count(view.id)
  local icons = require("copydesk.config").get().icons
  local share = used.share and (" (%d%%)"):format(math.floor(used.share * 100 + 0.5)) or ""
  -- In the order on the screen; what matters least has the highest rank.
  local words = {}
  local function add(rank, text)
    words[#words + 1] = text and { rank = rank, text = text } or nil
  end
  add(3, used.model)
  add(5, view.session.agent)
  add(1, view.session.activePreset or view.session.preset)
  add(4, used.tokens > 0 and short(used.tokens) .. share or nil)
  add(2, require("copydesk.chat.todo").progress(view))
  add(2, progress.jobs(view))
  add(1, undecided > 0 and ("%s%d"):format(icons.hunk, undecided) or nil)
  add(6, used.cost > 0 and (used.cost < 0.01 and "<$0.01" or ("$%.2f"):format(used.cost)) or nil)
  local title = session.name(view.session)
  title = view.session.parent and "Task: " .. title or title
  local state, group = state_of(view)
  local width = vim.api.nvim_win_get_width(0)
  title, words = fit(width, vim.fn.strdisplaywidth(state), title, words)
  local right = words ~= "" and plain(words) .. " " or ""
  return (" %%#%s#%s%%#CopydeskTitle#%s %%=%%#CopydeskDim#%s"):format(group, plain(state), plain(title), right)
end

function M.redraw()
  if require("copydesk.chat").is_visible() then
    require("copydesk.bars").redraw()
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

-- Scrolling shows or hides an ask.
vim.api.nvim_create_autocmd("WinScrolled", {
  group = vim.api.nvim_create_augroup("copydesk.winbar", {}),
  desc = "Copydesk says whether an ask is off the screen",
  callback = function()
    if #require("copydesk.ask").list() > 0 then
      M.redraw()
    end
  end,
})

require("copydesk.ask").listen(function()
  vim.schedule(M.redraw)
end)

session.listen(function(_, what, part)
  if what ~= "delta" and (what ~= "part" or part.content.kind == "stepFinish") then
    tick()
    vim.schedule(M.redraw)
  end
end)

return M
