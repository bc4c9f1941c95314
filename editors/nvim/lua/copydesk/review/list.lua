--- The list of what is undecided: files, their hunks, how much each is and which calls made it.
---
--- Contract: an ordinary window below the others, which follows what the desk tells. Going through it shows each hunk in the
--- window of a document; closing it with `q` puts that window back as it was. Decisions are made from here, too.

local summary = require("copydesk.review.summary")

local M = {}

local NAME = "copydesk://review"
local marks = vim.api.nvim_create_namespace("copydesk.review.list")

---@type integer?
local buffer
---@type copydesk.ListRow[]
local rows = {}
--- The window that shows the hunks, and what it showed before.
---@type { window: integer, bufnr: integer, view: table }?
local before

---@return integer?
local function window()
  if buffer and vim.api.nvim_buf_is_valid(buffer) then
    return vim.fn.win_findbuf(buffer)[1]
  end
end

--- Draws the list, the cursor staying with the hunk that it is on.
local function update()
  local shown_in = window()
  if not shown_in or not buffer then
    return
  end
  local cursor = vim.api.nvim_win_get_cursor(shown_in)
  local lines, at, drawn = {}, {}, nil
  drawn, rows = require("copydesk.review.rows").all()
  for number, chunks in ipairs(drawn) do
    local text = ""
    for _, chunk in ipairs(chunks) do
      at[#at + 1] = { number - 1, #text, #text + #chunk[1], chunk[2] }
      text = text .. chunk[1]
    end
    lines[number] = (text:gsub("%s+$", ""))
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
  vim.bo[buffer].modifiable = false
  for _, mark in ipairs(at) do
    local options = { end_col = math.min(mark[3], #lines[mark[1] + 1]), hl_group = mark[4], strict = false }
    vim.api.nvim_buf_set_extmark(buffer, marks, mark[1], math.min(mark[2], options.end_col), options)
  end
  vim.api.nvim_win_set_cursor(shown_in, { math.min(cursor[1], #lines), cursor[2] })
end

---@return copydesk.ListRow?
local function current()
  return rows[vim.api.nvim_win_get_cursor(0)[1]]
end

--- Shows the hunk under the cursor where the documents are. What cannot be shown there is passed over.
local function preview()
  local row = current()
  local shown_in = before and vim.api.nvim_win_is_valid(before.window) and before.window
  if not row or not shown_in then
    return
  end
  local bufnr = require("copydesk.buffer").of(row.one.uri)
  if not bufnr then
    local is_file, name = pcall(vim.uri_to_fname, row.one.uri)
    if not is_file or not vim.uv.fs_stat(name) then
      return
    end
    bufnr = vim.fn.bufadd(vim.fn.fnamemodify(name, ":."))
    vim.bo[bufnr].buflisted = true
  end
  pcall(vim.api.nvim_win_call, shown_in, function()
    if vim.api.nvim_win_get_buf(shown_in) ~= bufnr then
      vim.cmd(("silent keepjumps keepalt buffer %d"):format(bufnr))
    end
    require("copydesk.review.go").look(row.one, row.hunk)
  end)
end

--- Closes it, and puts the window of the documents back.
local function close()
  local shown_in, kept = window(), before
  before = nil
  if kept and vim.api.nvim_win_is_valid(kept.window) and vim.api.nvim_buf_is_valid(kept.bufnr) then
    pcall(vim.api.nvim_win_call, kept.window, function()
      vim.cmd(("silent keepjumps keepalt buffer %d"):format(kept.bufnr))
      vim.fn.winrestview(kept.view)
    end)
  end
  if shown_in then
    pcall(vim.api.nvim_win_close, shown_in, true)
  end
end

--- The rows that a key is for: that of the cursor, or those that are selected.
---@param range? { first: integer, last: integer }
---@return copydesk.ListRow[]
local function chosen(range)
  if not range then
    return { current() }
  end
  return vim.list_slice(rows, range.first, range.last)
end

---@param verdict copydesk.Verdict
---@param range? { first: integer, last: integer }
local function decide(verdict, range)
  local picked = chosen(range)
  local reviews, decisions = {}, {}
  for _, row in ipairs(picked) do
    if not row.hunk then
      reviews[row.one] = true
    elseif not reviews[row.one] then
      local hunk = row.hunk
      local decision = { hunk = hunk.hunk, expected = hunk.expected, verdict = verdict }
      decisions[#decisions + 1] = { session = row.one.session, decision = decision }
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

--- Says something about a hunk, or the file's first line.
local function comment()
  local row = current()
  if not row then
    return
  end
  local text = require("copydesk.pick").input(("Comment on %s: "):format(row.one.path))
  if not text then
    return
  end
  local line, count = 0, 1
  for _, at in ipairs(row.hunk and summary.ordered(row.one) or {}) do
    if at.hunk == row.hunk then
      line, count = at.line, select(2, require("copydesk.review.place").real(row.one, row.hunk))
    end
  end
  require("copydesk.review.here").say(row.one.session, row.one.uri, line, math.max(1, count), text)
end

local function jump()
  local row = current()
  if row then
    before = nil
    require("copydesk.review.go").to(row.one, row.hunk)
  end
end

---@param run fun(range?: { first: integer, last: integer })
---@param mode string
---@return fun()
local function key(run, mode)
  return function()
    local range
    if mode == "x" then
      local first, last = vim.fn.line("v"), vim.fn.line(".")
      range = { first = math.min(first, last), last = math.max(first, last) }
      local escape = vim.api.nvim_replace_termcodes("<Esc>", true, false, true)
      vim.api.nvim_feedkeys(escape, "nx", false)
    end
    require("copydesk.await").run(function()
      run(range)
    end)
  end
end

---@param bufnr integer
local function map(bufnr)
  ---@param lhs string
  ---@param modes string[]
  ---@param says string
  ---@param run fun(range?: { first: integer, last: integer })
  local function set(lhs, modes, says, run)
    for _, mode in ipairs(modes) do
      local options = { buffer = bufnr, nowait = true, desc = "Copydesk: " .. says }
      vim.keymap.set(mode, lhs, key(run, mode), options)
    end
  end
  set("<CR>", { "n" }, "go to the hunk", jump)
  set("a", { "n", "x" }, "accept", function(range)
    decide("accept", range)
  end)
  set("r", { "n", "x" }, "reject", function(range)
    decide("reject", range)
  end)
  set("c", { "n" }, "comment", comment)
  set("q", { "n" }, "close the list", close)
end

---@return integer
local function make()
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, NAME)
  vim.bo[bufnr].bufhidden, vim.bo[bufnr].modifiable = "wipe", false
  vim.bo[bufnr].filetype = "copydesk-review"
  map(bufnr)
  -- Nested, for files may be read.
  local options = { buffer = bufnr, nested = true, desc = "Copydesk shows the hunk", callback = preview }
  vim.api.nvim_create_autocmd("CursorMoved", options)
  return bufnr
end

--- Shows the list, with the cursor in it.
function M.open()
  if require("copydesk.review").count() == 0 then
    return require("copydesk.message").info("nothing is undecided")
  end
  local shown_in = window()
  if not shown_in then
    local origin = require("copydesk.chat").origin()
    before = origin and {
      window = origin,
      bufnr = vim.api.nvim_win_get_buf(origin),
      view = vim.api.nvim_win_call(origin, vim.fn.winsaveview),
    }
    buffer = make()
    local hunks, files = require("copydesk.review").count()
    local most = math.min(require("copydesk.config").get().review.list, math.floor(vim.o.lines / 2))
    -- The line with the keys is one of its rows.
    vim.cmd(("botright %dsplit"):format(math.max(2, math.min(most, hunks + files + 1))))
    shown_in = vim.api.nvim_get_current_win()
    vim.api.nvim_win_set_buf(shown_in, buffer)
    local options = vim.wo[shown_in][0]
    options.number, options.relativenumber, options.signcolumn, options.foldcolumn = false, false, "no", "0"
    options.wrap, options.cursorline, options.spell, options.list = false, true, false, false
    options.winfixheight = true
    options.statusline = " Undecided"
    options.winbar = "%#CopydeskDim# a accept  r reject  c comment  <CR> go there  q close"
  end
  vim.api.nvim_set_current_win(shown_in)
  update()
  preview()
end

require("copydesk.review").listen(function()
  vim.schedule(update)
end)

return M
