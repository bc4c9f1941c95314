--- Completion in the prompt: mentions after `@`, and commands after `/`.
---
--- Contract: an ordinary 'omnifunc', so that every completion plugin can use it. It returns what is known at once; files and
--- symbols that arrive later are shown if the user is still at the same place.

local context = require("copydesk.context")
local mention = require("copydesk.context.mention")

local M = {}

--- How many items are shown.
local MAX_ITEMS = 100

--- The start of the word at the cursor, in bytes from 0, and its kind.
---@param line string The line up to the cursor.
---@param row integer From 1.
---@return integer? column
---@return "mention"|"command"|"argument"|nil kind
local function word_at(line, row)
  if row == 1 and line:find("^/%a*$") then
    return 0, "command"
  elseif row == 1 and line:find("^/%a+%s") and require("copydesk.command").get(line:match("^/(%a+)")) then
    return #line - #line:match("%S*$"), "argument"
  end
  local before, quoted = line:match('^(.-)(@"[^"]*)$')
  if not quoted then
    before, quoted = line:match("^(.*)(@[^%s\"@]*)$")
  end
  if quoted and (before == "" or before:find("[%s%(%[{\"'`<]$")) then
    return #before, "mention"
  end
end

---@return string line
---@return integer row
local function line_before_cursor()
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  return vim.api.nvim_get_current_line():sub(1, column), row
end

---@return integer?
local function document()
  return context.document(require("copydesk.chat").origin())
end

---@class copydesk.MentionOffers What can follow `@`.
---@field texts string[]
---@field about table<string, { kind: string, menu: string }> Their details; files have none.

--- Everything but symbols. The texts are plain strings: a project may have many files, and every typed letter matches them all.
---@param arrived fun()
---@return copydesk.MentionOffers
local function mention_offers(arrived)
  local texts, about = {}, {}
  for _, word in ipairs(context.words) do
    texts[#texts + 1] = word.word
    about[word.word] = { kind = "editor", menu = word.menu }
  end
  local piece = require("copydesk.context.piece")
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buffer)
    if name ~= "" and require("copydesk.buffer").is_document(buffer) then
      local path = piece.shown(name)
      texts[#texts + 1] = path
      about[path] = { kind = "buffer", menu = "" }
    end
  end
  for _, path in ipairs(require("copydesk.complete.files").list(context.folder(), arrived)) do
    if not about[path] then
      texts[#texts + 1] = path
    end
  end
  return { texts = texts, about = about }
end

---@param query string
---@param arrived fun()
---@return copydesk.MentionOffers
local function symbols(query, arrived)
  local symbol = require("copydesk.complete.symbols")
  local buffer = document()
  if buffer then
    symbol.ask(buffer, query, arrived)
  end
  local texts, about = {}, {}
  for _, known in ipairs(symbol.all()) do
    local text = "symbol:" .. known.name
    texts[#texts + 1] = text
    about[text] = { kind = known.kind, menu = require("copydesk.buffer").shown(known.uri) }
  end
  table.sort(texts)
  return { texts = texts, about = about }
end

local file = { kind = "file", menu = "" }

--- The mentions that match, the best first.
---@param base string With its `@`.
---@param arrived fun() Called when there may be more.
---@return table[] items As |complete-items|.
local function mentions(base, arrived)
  local query = base:gsub('^@"?', "")
  local is_symbol = vim.startswith(query, "symbol:")
  local offers = is_symbol and symbols(query:sub(#"symbol:" + 1), arrived) or mention_offers(arrived)
  local pending = vim.list_slice(offers.texts, 1, MAX_ITEMS)
  if query ~= "" then
    pending = vim.fn.matchfuzzy(offers.texts, query, { limit = MAX_ITEMS })
  end
  return vim.tbl_map(function(text)
    local about = offers.about[text] or file
    return { word = mention.write(text), abbr = text, kind = about.kind, menu = about.menu, icase = 1 }
  end, pending)
end

---@param base string With its `/`.
---@return table[]
local function commands(base)
  local command = require("copydesk.command")
  local items = {}
  for _, name in ipairs(command.offers({}, base:sub(2))) do
    local summary = command.get(name).summary:gsub("^.-: ", "", 1)
    items[#items + 1] = { word = "/" .. name, kind = "command", menu = summary }
  end
  return items
end

---@param line string
---@param base string
---@return table[]
local function arguments(line, base)
  local before = vim.split(line:sub(2, #line - #base), "%s+", { trimempty = true })
  return vim.tbl_map(function(word)
    return { word = word, kind = before[1] }
  end, require("copydesk.command").offers(before, base))
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, false, true), "n", false)
end

--- Lets the menu open with nothing selected, so that typed text stays as typed.
local function choose_nothing()
  local wanted = "menuone,noinsert,noselect"
  if vim.fn.has("nvim-0.11") == 1 then
    vim.bo.completeopt = wanted
    return
  end
  local before = vim.o.completeopt
  if before == wanted then
    return
  end
  local group = vim.api.nvim_create_augroup("copydesk.complete", {})
  vim.o.completeopt = wanted
  vim.api.nvim_create_autocmd({ "CompleteDone", "InsertLeave", "BufLeave" }, {
    group = group,
    buffer = 0,
    desc = "Copydesk restores the user's 'completeopt'",
    callback = function()
      vim.api.nvim_clear_autocmds({ group = group })
      vim.o.completeopt = before
    end,
  })
end

--- Opens the menu.
function M.menu()
  choose_nothing()
  press("<C-x><C-o>")
end

--- Shows items that arrived late, if the user is still at the same place.
---@param buffer integer
---@param line string
local function refresh(buffer, line)
  if vim.fn.mode() ~= "i" or vim.api.nvim_get_current_buf() ~= buffer or line_before_cursor() ~= line then
    return
  end
  if vim.fn.pumvisible() == 1 then
    press("<C-e><Cmd>lua require('copydesk.complete').menu()<CR>")
  elseif vim.fn.complete_info({ "mode" }).mode == "" then
    M.menu()
  end
end

--- The items for the end of a line.
---@param line string Up to the cursor.
---@param kind string?
---@param base string
---@return table[] items
local function items_of(line, kind, base)
  if kind == "mention" then
    local buffer = vim.api.nvim_get_current_buf()
    return mentions(base, function()
      refresh(buffer, line)
    end)
  elseif kind == "command" then
    return commands(base)
  end
  return kind == "argument" and arguments(line, base) or {}
end

--- The result of the first of the two calls: the line up to the cursor, and the kind of word.
---@type { line: string, kind: string? }
local pending = { line = "" }

--- For 'omnifunc'.
---@param findstart integer
---@param base string
---@return integer|table
function M.omnifunc(findstart, base)
  if findstart == 1 then
    local line, row = line_before_cursor()
    local column, kind = word_at(line, row)
    pending = { line = line, kind = kind }
    -- -3: nothing to complete, and no message.
    return column or -3
  end
  return { words = items_of(pending.line, pending.kind, base), refresh = "always" }
end

--- The word for which the menu last opened. It does not open again for it, in case the user closed it.
---@type string?
local opened

--- Opens the menu when the user begins a mention or a command. For |TextChangedI|.
function M.trigger()
  local line, row = line_before_cursor()
  local column, kind = word_at(line, row)
  if not column then
    opened = nil
    return
  end
  local word = ("%d:%d:%s"):format(row, column, kind)
  local is_begun = column >= #line - 1
  if vim.fn.pumvisible() == 1 or not is_begun and word == opened then
    return
  end
  opened = word
  -- An empty menu would show a message.
  if #items_of(line, kind, line:sub(column + 1)) > 0 then
    M.menu()
  end
end

--- Runs `/NAME …` if it is one of our commands.
---@param text string
---@return boolean is_command
function M.slash(text)
  local name, rest = vim.trim(text):match("^/(%a+) *([^\n]*)$")
  local command = require("copydesk.command")
  if not name or not command.get(name) then
    return false
  end
  local words = vim.list_extend({ name }, command.words(rest))
  command.run(words, { text = vim.trim(rest), window = require("copydesk.chat").origin() })
  return true
end

--- The mentions that complete a word on the command line.
---@param lead string
---@return string[]
function M.words(lead)
  if not vim.startswith(lead, "@") then
    return {}
  end
  return vim.tbl_map(function(item)
    return item.word
  end, mentions(lead, function() end))
end

return M
