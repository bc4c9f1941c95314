--- The context of a prompt: its `@` mentions, and what the user added before.
---
--- Contract: `gather` only reads: it opens, loads and changes nothing, and caps what it reads. A word after `@` that is neither
--- a keyword nor a file stays text. `:help copydesk-mentions` has the list.

local M = {}

--- The cap on pieces per prompt.
local MAX_PIECES = 100
--- The cap on a text, in bytes. It is larger than the daemon's own, so that the daemon reports the truncation.
M.longest = 128 * 1024

---@class copydesk.ContextPiece One item of context.
---@field label string For the user.
---@field item? copydesk.ContextItem
---@field media? string The path of an image or a PDF.
---@field prompt? string The id of an earlier prompt, whose context is meant.

---@class copydesk.GatheredContext
---@field items? copydesk.ContextItem[]
---@field files? copydesk.MediaContent[]
---@field context_of? string The id of an earlier prompt, whose context and files go with this one, too.
---@field problem? string Why the prompt cannot be sent as it is.

---@class copydesk.GatherOptions
---@field origin? integer The window that `@buffer`, `@selection` and `@diagnostics` are about.
---@field more? copydesk.ContextItem[]

---@type copydesk.ContextPiece[]
local added = {}

--- Adds a piece to the next prompt. It replaces one with the same label.
---@param piece copydesk.ContextPiece
function M.add(piece)
  added = vim.tbl_filter(function(other)
    return other.label ~= piece.label
  end, added)
  added[#added + 1] = piece
end

--- Adds the context and the files of an earlier prompt, if it has any.
---@param view copydesk.View
---@param part copydesk.PartInfo
function M.add_again(view, part)
  local names = vim.list_slice(part.content.context or {})
  for index = (view.at[part.id] or #view.parts) + 1, #view.parts do
    local content = view.parts[index].content
    if content.kind ~= "file" then
      break
    end
    names[#names + 1] = content.name or content.mime
  end
  if #names > 0 then
    M.add({ label = ("earlier context (%s)"):format(table.concat(names, "; ")), prompt = part.id })
  end
end

--- The added pieces.
---@return copydesk.ContextPiece[]
function M.list()
  return vim.list_slice(added)
end

--- The labels of the added pieces.
---@return string[]
function M.labels()
  return vim.tbl_map(function(piece)
    return piece.label
  end, added)
end

function M.clear()
  added = {}
end

--- The added pieces, for the statusline of the prompt.
---@return string
function M.suffix()
  local labels = table.concat(M.labels(), ", ")
  return labels ~= "" and " with " .. labels:gsub("%c+", " ") or ""
end

--- The keywords after `@`, and what they mean.
---@type { word: string, menu: string }[]
M.words = {
  { word = "buffer", menu = "this file" },
  { word = "selection", menu = "as selected" },
  { word = "diagnostics", menu = "its problems" },
  { word = "quickfix", menu = "the list" },
  { word = "symbol:", menu = "by its name" },
}

--- The folder that paths are relative to.
---@return string
function M.folder()
  local view = require("copydesk.session").current()
  return view and view.session.folder or vim.fn.getcwd()
end

--- The document of a prompt: the one in the window, else the one that last had the focus.
---@param window? integer
---@return integer? buffer
function M.document(window)
  local is_document = require("copydesk.buffer").is_document
  for _, candidate in ipairs({ window or 0, require("copydesk.chat").origin() or 0 }) do
    if vim.api.nvim_win_is_valid(candidate) then
      local buffer = vim.api.nvim_win_get_buf(candidate)
      if is_document(buffer) then
        return buffer
      end
    end
  end
end

--- The keywords about a document, and the modules that resolve them.
local about_document = { buffer = "piece", selection = "piece", diagnostics = "list" }

--- Resolves a word after `@` or `:Copydesk add`. Nil if it means nothing.
---@param word string
---@param window? integer
---@return copydesk.ContextPiece?
---@return string? problem
function M.resolve(word, window)
  if about_document[word] then
    local buffer = M.document(window)
    if not buffer then
      return nil, ("`@%s` needs a file, and no window shows one"):format(word)
    end
    return require("copydesk.context." .. about_document[word])[word](buffer)
  elseif word == "quickfix" then
    return require("copydesk.context.list").quickfix()
  elseif vim.startswith(word, "symbol:") then
    return require("copydesk.context.file").symbol(word:sub(#"symbol:" + 1))
  end
  return require("copydesk.context.file").named(word)
end

--- The pieces of a prompt, each once.
---@param text string
---@param options copydesk.GatherOptions
---@return copydesk.ContextPiece[]? pieces
---@return string? problem
local function pieces_of(text, options)
  local pieces, known = M.list(), {} ---@type copydesk.ContextPiece[], table<string, boolean>
  for _, item in ipairs(options.more or {}) do
    pieces[#pieces + 1] = { label = item.uri, item = item }
  end
  for _, readings in ipairs(require("copydesk.context.mention").find(text)) do
    for _, word in ipairs(readings) do
      if known[word] == nil then
        local piece, problem = M.resolve(word, options.origin)
        if problem then
          return nil, problem
        end
        pieces[#pieces + 1] = piece
        known[word] = piece ~= nil
      end
      if known[word] then
        break
      end
    end
  end
  if #pieces > MAX_PIECES then
    local why = "this prompt has %d files and pieces of context, but at most %d are allowed; `:Copydesk add clear` removes the added ones"
    return nil, why:format(#pieces, MAX_PIECES)
  end
  return pieces
end

--- A text that can be sent: truncated to the cap, and read as Latin-1 if it is not UTF-8, as Neovim does with files.
---@param text string
---@return string
local function sendable(text)
  if #text > M.longest then
    text = text:sub(1, M.longest + vim.str_utf_start(text, M.longest + 1))
  end
  local is_utf8 = not text:find("[\128-\255]") or pcall(vim.fn.json_encode, text)
  return is_utf8 and text or vim.iconv(text, "latin1", "utf-8") or ""
end

--- Gathers the context of a prompt.
---@param text string
---@param options? copydesk.GatherOptions
---@return copydesk.GatheredContext
function M.gather(text, options)
  local pieces, problem = pieces_of(text, options or {})
  if not pieces then
    return { problem = problem }
  end
  local items, files, context_of = {}, {}, nil
  for _, piece in ipairs(pieces) do
    if piece.prompt then
      context_of = piece.prompt
    elseif piece.media then
      local media, trouble = require("copydesk.context.media").read(piece.media, #files)
      if not media then
        return { problem = trouble }
      end
      files[#files + 1] = media
    elseif piece.item then
      local item = vim.deepcopy(piece.item)
      item.text = item.text and sendable(item.text)
      items[#items + 1] = item
    end
  end
  return { items = items[1] and items, files = files[1] and files, context_of = context_of }
end

return M
