--- The buffer in which the user writes prompts.
---
--- Contract: its text is never lost: it is cleared on send, and restored if the daemon rejects the prompt.

local M = {}

M.name = "copydesk://prompt"

local hint = vim.api.nvim_create_namespace("copydesk.prompt")

---@type integer?
local buffer
--- The position in the history: 0 is the user's own draft.
local back = 0
local own = ""

---@return integer?
function M.buffer()
  return buffer and vim.api.nvim_buf_is_loaded(buffer) and buffer or nil
end

---@return string
function M.text()
  return M.buffer() and table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), "\n") or ""
end

---@param text string
function M.set(text)
  local lines = vim.split(text, "\n", { plain = true })
  vim.api.nvim_buf_set_lines(M.ensure(), 0, -1, true, lines)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_set_cursor(window, { #lines, #lines[#lines] })
  end
end

--- Joins words, without those that do not fit the window. The last one stays.
---@param words string[]
---@param last string
---@return string
local function shorten(words, last)
  local window = vim.fn.win_findbuf(buffer)[1]
  local width = window and vim.api.nvim_win_get_width(window) or vim.o.columns
  while #words > 1 and vim.fn.strdisplaywidth(table.concat(words, ", ") .. ", " .. last) > width do
    table.remove(words)
  end
  return table.concat(words, ", ") .. ", " .. last
end

--- Shows a hint while the prompt is empty.
---@param is_insert? boolean Whether the keys of Insert mode are shown; by default those of the current mode.
function M.show_hint(is_insert)
  if is_insert == nil then
    is_insert = vim.api.nvim_get_current_buf() == buffer and vim.api.nvim_get_mode().mode:find("^i") ~= nil
  end
  vim.api.nvim_buf_clear_namespace(buffer, hint, 0, -1)
  if M.text() == "" then
    local keys = require("copydesk.config").get().keys
    local send = is_insert and keys.send.i or keys.send.n or keys.send.i or "no key"
    local help = (keys.help.n or ":help copydesk-chat") .. " keys"
    local words = shorten({ send .. " sends", "@ mentions", "/ commands" }, help)
    if #require("copydesk.ask").list() > 0 then
      words = shorten({ "/allow, /always, /reject why" }, "or <C-w>k")
    end
    local options = { virt_text = { { words, "CopydeskDim" } }, virt_text_pos = "overlay" }
    vim.api.nvim_buf_set_extmark(buffer, hint, 0, 0, options)
  end
end

--- Fits the window's height to the text, within the configured bounds.
local function fit()
  local bounds = require("copydesk.config").get().chat.prompt
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local rows = vim.api.nvim_win_text_height(window, {}).all
    local height = math.max(bounds.min, math.min(rows, bounds.max))
    if vim.api.nvim_win_get_height(window) ~= height and vim.api.nvim_win_get_config(window).relative == "" then
      vim.api.nvim_win_set_height(window, height)
    end
  end
end

--- Restores the height of the prompt's windows after another window is closed: Neovim gives its rows to the window above it.
local function keep_heights()
  local heights = {}
  for _, window in ipairs(M.buffer() and vim.fn.win_findbuf(buffer) or {}) do
    if vim.api.nvim_win_get_config(window).relative == "" then
      heights[window] = vim.api.nvim_win_get_height(window)
    end
  end
  vim.schedule(function()
    for window, height in pairs(heights) do
      if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer then
        vim.api.nvim_win_set_height(window, height)
      end
    end
  end)
end

--- Sends the prompt.
function M.send()
  local text = M.text()
  if vim.trim(text) == "" then
    return
  end
  if text:match("^/%w") and require("copydesk.complete").slash(text) then
    return M.set("")
  end
  back, own = 0, ""
  M.set("")
  require("copydesk.chat").to_end()
  local view = require("copydesk.session").current()
  require("copydesk.prompt").send(text, {
    origin = require("copydesk.chat").origin(),
    steer = view ~= nil and view.running ~= nil and require("copydesk.config").get().chat.while_running == "steer",
    done = function(problem)
      if problem and vim.trim(M.text()) == "" then
        M.set(text)
      end
    end,
  })
end

--- Moves through earlier prompts; the draft is the newest of them.
---@param step integer 1 for the previous one, -1 for the next one.
function M.recall(step)
  local all = require("copydesk.history").all()
  local wanted = math.max(0, math.min(back + step, #all))
  if wanted == back then
    return
  end
  if back == 0 then
    own = M.text()
  end
  back = wanted
  M.set(back == 0 and own or all[#all - back + 1])
end

--- The buffer, created if needed.
---@return integer
function M.ensure()
  if M.buffer() then
    return buffer
  end
  buffer = vim.fn.bufadd(M.name)
  vim.fn.bufload(buffer)
  local options = vim.bo[buffer]
  options.buftype, options.bufhidden, options.swapfile, options.buflisted = "nofile", "hide", false, false
  options.filetype = "copydesk-prompt"
  options.omnifunc = "v:lua.require'copydesk.complete'.omnifunc"
  pcall(vim.treesitter.start, buffer, "markdown")
  require("copydesk.chat.keys").map(buffer, "prompt")
  M.show_hint()
  local group = vim.api.nvim_create_augroup("copydesk.prompt", {})
  vim.api.nvim_create_autocmd({ "TextChanged", "TextChangedI", "TextChangedP" }, {
    group = group,
    buffer = buffer,
    callback = function()
      M.show_hint()
      fit()
    end,
  })
  vim.api.nvim_create_autocmd({ "InsertEnter", "InsertLeave" }, {
    group = group,
    buffer = buffer,
    callback = function(event)
      M.show_hint(event.event == "InsertEnter")
    end,
  })
  vim.api.nvim_create_autocmd("WinClosed", { group = group, callback = keep_heights })
  vim.api.nvim_create_autocmd("TextChangedI", {
    group = group,
    buffer = buffer,
    callback = function()
      require("copydesk.complete").trigger()
    end,
  })
  return buffer
end

require("copydesk.ask").listen(function()
  if M.buffer() then
    M.show_hint()
  end
end)

return M
