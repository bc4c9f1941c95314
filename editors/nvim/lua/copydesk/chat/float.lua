--- A small window in the corner that shows what waits for the user while the conversation is hidden.
---
--- Contract: never takes the focus, never covers more than a corner, and closes when nothing waits or the conversation opens.
--- The keys of the conversation work inside it; the commands work everywhere.

local ask = require("copydesk.ask")
local limits = require("copydesk.time_limits")

local M = {}

local MAX_WIDTH, MAX_HEIGHT = 80, 16

---@type integer?
local window
---@type integer?
local buffer
---@type copydesk.OpenAsk? The ask that it shows.
local shown
local marks = vim.api.nvim_create_namespace("copydesk.float")

---@return integer?
function M.window()
  return window and vim.api.nvim_win_is_valid(window) and window or nil
end

---@return integer?
function M.buffer()
  return buffer and vim.api.nvim_buf_is_valid(buffer) and buffer or nil
end

--- The ask that the window shows.
---@return copydesk.OpenAsk?
function M.item()
  return M.window() and shown or nil
end

local function close()
  if M.window() then
    pcall(vim.api.nvim_win_close, window, true)
  end
  window = nil
end

---@param block copydesk.Block
local function draw(block)
  if not M.buffer() then
    buffer = vim.api.nvim_create_buf(false, true)
    vim.bo[buffer].bufhidden = "hide"
    vim.bo[buffer].filetype = "copydesk"
    require("copydesk.chat.keys").map(buffer, "float")
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, block.lines)
  vim.bo[buffer].modifiable = false
  vim.api.nvim_buf_clear_namespace(buffer, marks, 0, -1)
  for _, mark in ipairs(block.marks) do
    vim.api.nvim_buf_set_extmark(buffer, marks, mark.row, mark.col, mark.options)
  end
end

--- Cuts a block that is too high, above its last lines: they hold the problems and the keys.
---@param block copydesk.Block
local function cut(block)
  local omitted = #block.lines - MAX_HEIGHT
  if omitted <= 0 then
    return
  end
  -- The float adds the last line.
  local tail = math.min((block.tail or 0) + 1, MAX_HEIGHT - 2)
  local head, moved = MAX_HEIGHT - tail - 1, omitted
  local lines = vim.list_slice(block.lines, 1, head)
  lines[#lines + 1] = ("… %d more lines in the conversation"):format(omitted + 1)
  vim.list_extend(lines, block.lines, #block.lines - tail + 1)
  local kept = {}
  for _, mark in ipairs(block.marks) do
    if mark.row < head then
      kept[#kept + 1] = mark
    elseif mark.row >= #block.lines - tail then
      kept[#kept + 1] = vim.tbl_extend("force", mark, { row = mark.row - moved })
    end
  end
  block.lines, block.marks = lines, kept
end

--- The ask to show. If the conversation is open, only one of another session.
---@param is_visible boolean
---@return copydesk.OpenAsk?
local function wanted(is_visible)
  if not is_visible then
    return ask.candidates()[1]
  end
  local shown = require("copydesk.chat.transcript").shown()
  return vim.tbl_filter(function(item)
    return item.session ~= shown
  end, ask.list())[1]
end

--- How to answer an ask from elsewhere, and how many more wait.
---@param item copydesk.OpenAsk
---@return string
local function other_ways(item)
  local candidates, more = ask.candidates(), #ask.list() - 1
  local words = "or :Copydesk allow, always, reject"
  if not vim.list_contains(candidates, item) then
    words = "<C-w>w, then a key; or :Copydesk sessions"
  end
  return words .. (more > 0 and ("; %d more wait%s"):format(more, more == 1 and "s" or "") or "")
end

--- The title of the window: the session, if it is not the one that prompts go to.
---@param item copydesk.OpenAsk
---@param width integer
---@return string
local function title_of(item, width)
  local name = ask.foreign_session(item)
  if not name then
    return " Copydesk "
  end
  local longest = math.max(8, width - 14)
  if vim.fn.strdisplaywidth(name) > longest then
    name = vim.fn.strcharpart(name, 0, longest - 1) .. "…"
  end
  return (" Copydesk: %s "):format(name)
end

local function show()
  local is_visible = require("copydesk.chat").is_visible()
  local item = wanted(is_visible)
  if not item or not require("copydesk.config").get().ask_float then
    return close()
  end
  local block = require("copydesk.chat.asking").all({ item })
  table.remove(block.lines, 1)
  for _, mark in ipairs(block.marks) do
    mark.row = mark.row - 1
  end
  shown = item
  block.lines[#block.lines + 1] = other_ways(item)
  require("copydesk.chat.render").mark(block, #block.lines - 1, "CopydeskDim")
  cut(block)
  draw(block)
  local width = 20
  for _, line in ipairs(block.lines) do
    -- A Lua string with a NUL would become a Blob.
    width = math.max(width, vim.fn.strdisplaywidth((line:gsub("%z", "  "))))
  end
  width = math.min(width, MAX_WIDTH, math.max(20, vim.o.columns - 4))
  local height = 0
  for _, line in ipairs(block.lines) do
    -- A line breaks between words, so it may take a row more than its width says.
    local shown_width = vim.fn.strdisplaywidth((line:gsub("%z", "  ")))
    local rows = math.max(1, math.ceil(shown_width / width))
    height = height + (rows > 1 and math.ceil(shown_width / (width - 8)) or rows)
  end
  local place = {
    relative = "editor",
    -- Do not cover the prompt.
    anchor = is_visible and "NE" or "SE",
    row = is_visible and 1 or vim.o.lines - vim.o.cmdheight - 1,
    col = vim.o.columns,
    width = width,
    height = math.min(height, math.max(1, vim.o.lines - 6)),
    style = "minimal",
    border = "rounded",
    title = title_of(item, width),
    noautocmd = true,
    zindex = 40,
  }
  if M.window() then
    place.noautocmd = nil
    vim.api.nvim_win_set_config(window, place)
  else
    window = vim.api.nvim_open_win(buffer, false, place)
    vim.wo[window].wrap = true
    vim.wo[window].linebreak = true
    vim.wo[window].conceallevel = 2
    vim.wo[window].concealcursor = "nvc"
    vim.wo[window].winhighlight = "FloatBorder:CopydeskAsk,FloatTitle:CopydeskAsk"
  end
end

--- Shows what waits, or closes the window.
function M.update()
  vim.schedule(function()
    local went, problem = pcall(show)
    if not went and tostring(problem):find("E565", 1, true) then
      -- Textlock: an expression that waits for a key is being evaluated.
      vim.defer_fn(M.update, limits.textlock_retry)
    elseif not went then
      require("copydesk.message").broken(problem, debug.traceback())
    end
  end)
end

ask.listen(M.update)

vim.api.nvim_create_autocmd("VimResized", {
  group = vim.api.nvim_create_augroup("copydesk.float", {}),
  callback = M.update,
})

return M
