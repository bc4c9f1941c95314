--- The conversation: two windows, the transcript above and the prompt below, placed as the options say.
---
--- Contract: opening and closing change no other window's buffer; closing keeps the session, its turn and the text of the
--- prompt. The two windows of a tab page open and close together.

local input = require("copydesk.chat.input")
local session = require("copydesk.session")
local transcript = require("copydesk.chat.transcript")

local M = {}

local group = vim.api.nvim_create_augroup("copydesk.chat", {})

---@param buffer? integer
---@return integer? window In this tab page.
local function window_of(buffer)
  for _, window in ipairs(buffer and vim.api.nvim_tabpage_list_wins(0) or {}) do
    if vim.api.nvim_win_get_buf(window) == buffer then
      return window
    end
  end
end

---@return boolean
function M.is_visible()
  return window_of(transcript.buffer()) ~= nil
end

---@param window integer
---@return boolean
local function is_for_documents(window)
  return vim.api.nvim_win_get_config(window).relative == ""
    and vim.bo[vim.api.nvim_win_get_buf(window)].buftype == ""
    and not vim.wo[window].previewwindow
end

--- The document window that last had the focus, in this tab page.
---@return integer?
function M.origin()
  local windows = vim.tbl_filter(is_for_documents, vim.api.nvim_tabpage_list_wins(0))
  local current = vim.api.nvim_get_current_win()
  local previous = vim.fn.win_getid(vim.fn.winnr("#"))
  local remembered = vim.t.copydesk_origin
  for _, wanted in ipairs({ current, remembered or 0, previous }) do
    if vim.tbl_contains(windows, wanted) then
      return wanted
    end
  end
  return windows[1]
end

--- The fewest columns that a share of the screen gives the conversation, up to half of the screen.
local MIN_COLUMNS = 40

---@param share number
---@param whole integer
---@param least? integer The fewest that a share gives.
---@return integer
local function cells(share, whole, least)
  if share > 1 then
    return math.max(1, math.floor(math.min(share, whole)))
  end
  return math.max(1, math.floor(share * whole), math.min(least or 0, math.floor(whole / 2)))
end

--- Opens a window as the options say, and returns it.
---@param buffer integer
---@return integer
local function split(buffer)
  local options = require("copydesk.config").get().chat
  local width = cells(options.size, vim.o.columns, MIN_COLUMNS)
  local height = cells(options.size, vim.o.lines)
  local commands = {
    right = ("botright vertical %dsplit"):format(width),
    left = ("topleft vertical %dsplit"):format(width),
    bottom = ("botright %dsplit"):format(height),
    top = ("topleft %dsplit"):format(height),
    tab = "tab split",
  }
  if options.position == "float" then
    local wide = math.min(vim.o.columns - 4, math.max(60, cells(0.8, vim.o.columns)))
    local high = math.max(4, vim.o.lines - options.prompt.min - 8)
    return vim.api.nvim_open_win(buffer, true, {
      relative = "editor",
      row = 1,
      col = math.floor((vim.o.columns - wide) / 2),
      width = wide,
      height = high,
      border = "rounded",
    })
  end
  vim.cmd("noswapfile keepalt " .. commands[options.position])
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  return window
end

--- Opens the prompt's window below the transcript.
---@param above integer
---@param buffer integer
---@return integer
local function split_prompt(above, buffer)
  local rows = require("copydesk.config").get().chat.prompt.min
  local place = vim.api.nvim_win_get_config(above)
  if place.relative ~= "" then
    return vim.api.nvim_open_win(buffer, true, {
      relative = "editor",
      row = place.height + 3,
      col = place.col,
      width = place.width,
      height = rows,
      border = "rounded",
    })
  end
  vim.api.nvim_set_current_win(above)
  vim.cmd(("noswapfile keepalt belowright %dsplit"):format(rows))
  local window = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_buf(window, buffer)
  return window
end

--- Sets options of this window for our buffer only.
---@param window integer
---@param options table<string, any>
local function set(window, options)
  for name, value in pairs(options) do
    vim.api.nvim_set_option_value(name, value, { scope = "local", win = window })
  end
end

local plain = {
  number = false,
  relativenumber = false,
  signcolumn = "no",
  foldcolumn = "0",
  statuscolumn = "",
  cursorline = false,
  colorcolumn = "",
  spell = false,
  list = false,
  wrap = true,
  linebreak = true,
}

---@param window integer
local function dress_transcript(window)
  set(window, plain)
  set(window, {
    winfixwidth = true,
    foldmethod = "expr",
    foldexpr = "v:lua.require'copydesk.chat.transcript'.fold(v:lnum)",
    foldtext = "v:lua.require'copydesk.chat.fold'.text()",
    foldlevel = 0,
    foldenable = true,
    foldminlines = 1,
    fillchars = "fold: ,eob: ",
    winhighlight = "Folded:CopydeskDim",
    conceallevel = 2,
    concealcursor = "nvc",
    statusline = " Copydesk",
    winbar = "%{%v:lua.require'copydesk.chat.winbar'.text()%}",
  })
end

---@param window integer
local function dress_prompt(window)
  set(window, plain)
  set(window, { winfixheight = true, winfixwidth = true, conceallevel = 0, fillchars = "eob: ", foldenable = false })
  set(window, { statusline = " Prompt%{v:lua.require'copydesk.context'.suffix()}%<" })
end

--- Also sets the options of windows that the plugin did not open, such as those of a session file.
---@param window integer
---@param dress fun(window: integer)
local function dress_once(window, dress)
  if not vim.w[window].copydesk_dressed then
    vim.w[window].copydesk_dressed = true
    dress(window)
  end
end

--- The two buffers with their keys, created once.
---@return integer transcript
---@return integer prompt
local function buffers()
  local was = transcript.buffer()
  local above, below = transcript.ensure(), input.ensure()
  if above ~= was then
    require("copydesk.chat.keys").map(above, "chat")
    vim.api.nvim_create_autocmd("CursorMoved", {
      group = vim.api.nvim_create_augroup("copydesk.earlier", {}),
      buffer = above,
      desc = "Copydesk loads earlier parts, at the first line",
      callback = function()
        local view = session.view(transcript.shown())
        if view and view.earlier and vim.api.nvim_win_get_cursor(0)[1] == 1 then
          session.load_earlier(view)
        end
      end,
    })
  end
  return above, below
end

--- Cleans up after either window was closed, however that happened.
local function closed()
  vim.schedule(function()
    local above, below = window_of(transcript.buffer()), window_of(input.buffer())
    if (above == nil) ~= (below == nil) and #vim.api.nvim_tabpage_list_wins(0) > 1 then
      pcall(vim.api.nvim_win_close, above or below, true)
    end
    require("copydesk.chat.float").update()
  end)
end

--- Opens the conversation and puts the cursor into the prompt.
function M.open()
  if not require("copydesk.scratch").can_open() then
    return
  end
  require("copydesk.highlight").define()
  local current = vim.api.nvim_get_current_win()
  if is_for_documents(current) then
    vim.t.copydesk_origin = current
  end
  local above, below = buffers()
  local window = window_of(above) or split(above)
  dress_once(window, dress_transcript)
  local prompt = window_of(below) or split_prompt(window, below)
  dress_once(prompt, dress_prompt)
  input.show_hint()
  M.to_end()
  vim.api.nvim_set_current_win(prompt)
  transcript.show(session.current())
  require("copydesk.chat.float").update()
  vim.api.nvim_clear_autocmds({ group = group })
  vim.api.nvim_create_autocmd("WinClosed", { group = group, callback = closed })
  -- Connect while the user types.
  local client, view = require("copydesk.client"), session.current()
  local was_connected = client.get() ~= nil
  client.connect()
  if not view or #view.parts == 0 then
    -- A model may have been set up since the last time, and other sessions may have begun to wait.
    require("copydesk.catalogue").refresh_models(view and view.session.agent)
    if was_connected then
      require("copydesk.pending").learn()
    end
  end
end

--- Shows the end of the conversation, where the answer will be.
function M.to_end()
  local window = window_of(transcript.buffer())
  if window then
    vim.api.nvim_win_set_cursor(window, { vim.api.nvim_buf_line_count(transcript.ensure()), 0 })
  end
end

--- Lets the user write: in the prompt, what is typed next is text.
local function start_insert()
  local is_there = vim.api.nvim_get_current_buf() == input.buffer()
  if is_there and require("copydesk.config").get().chat.prompt.insert then
    vim.cmd("startinsert!")
  end
end

--- Opens the conversation for a prompt.
function M.write()
  M.open()
  start_insert()
end

--- Whether this is Neovim's last window. (Floats do not count.)
---@param window integer
---@return boolean
local function is_last(window)
  local others = vim.tbl_filter(function(other)
    return other ~= window and vim.api.nvim_win_get_config(other).relative == ""
  end, vim.api.nvim_tabpage_list_wins(0))
  local is_float = vim.api.nvim_win_get_config(window).relative ~= ""
  return #others == 0 and not is_float and #vim.api.nvim_list_tabpages() == 1
end

--- Closes the conversation in this tab page.
function M.close()
  local origin = M.origin()
  for _, buffer in ipairs({ input.buffer() or 0, transcript.buffer() or 0 }) do
    local window = window_of(buffer)
    if window and is_last(window) then
      vim.api.nvim_win_call(window, vim.cmd.enew)
    elseif window then
      vim.api.nvim_win_close(window, true)
    end
  end
  if origin and vim.api.nvim_win_is_valid(origin) then
    vim.api.nvim_set_current_win(origin)
  end
  require("copydesk.chat.float").update()
end

function M.toggle()
  if M.is_visible() then
    M.close()
  else
    M.write()
  end
end

--- Opens the conversation with a text in the prompt, below any text that is already there.
---@param text? string
function M.input(text)
  M.open()
  if text and M.is_visible() then
    local own = vim.trim(input.text())
    input.set(own ~= "" and own ~= vim.trim(text) and own .. "\n" .. text or text)
  end
  start_insert()
end

-- The conversation shows the current session.
session.listen(function(view, what)
  if what == "session" and session.current() == view and transcript.shown() ~= view.id then
    transcript.show(view)
  elseif what == "gone" and transcript.shown() == view.id then
    transcript.show(session.current())
  end
end)

return M
