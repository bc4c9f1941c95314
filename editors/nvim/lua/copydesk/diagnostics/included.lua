--- Which units other files of a project include, as they lie on the disk. There are few such, and they are no units of their own.
---
--- Contract: looks once below a folder, in pieces between which Neovim goes on, and again when it is told that something was changed. Of a
--- folder with more files than are read it is not known.

local M = {}

--- Endings of files that others seldom include.
M.UNITS = { c = true, cc = true, cpp = true, cxx = true, ["c++"] = true, m = true, mm = true, cu = true }

--- And of those that include.
local HEADERS = { h = true, hh = true, hpp = true, hxx = true, ["h++"] = true, inc = true, inl = true, ipp = true, tpp = true, cuh = true }

--- How much is looked at: files, and what else lies there.
M.most_files = 2000
local MOST_ENTRIES = 20000
local DEEPEST = 20
--- So much of each is read.
local LARGEST = 512 * 1024
--- So long without a pause, in milliseconds.
local PIECE = 5

---@class copydesk.Included
---@field names table<string, true> The last parts of the names of units that are included.
---@field is_done boolean
---@field is_whole boolean Everything was looked at.

local looks = {} ---@type table<string, copydesk.Included>

---@param path string
---@return string
function M.ending(path)
  return path:match("%.([^./]+)$") or ""
end

--- The names that a text includes, without their folders.
---@param lines fun(): string?
---@return table<string, true>
function M.names(lines)
  local names = {}
  for line in lines do
    local name = line:match('^%s*#%s*%a+%s*["<]([^">]+)[">]')
    if name then
      names[vim.fs.basename(name)] = true
    end
  end
  return names
end

--- Adds those that are units.
---@param names table<string, true>
---@param found table<string, true>
local function add(names, found)
  for name in pairs(names) do
    found[name] = M.UNITS[M.ending(name)] or found[name]
  end
end

---@param path string
---@param found table<string, true>
---@return boolean is_whole
local function read(path, found)
  local file = io.open(path, "rb")
  local text = file and file:read(LARGEST) or ""
  if file then
    file:close()
  end
  add(M.names(text:gmatch("[^\r\n]+")), found)
  return #text < LARGEST
end

--- Looks, and says so where nothing more is to be looked at.
---@param root string
---@param look copydesk.Included
local function begin(root, look)
  local entries, files = 0, 0
  local next_one, state, last = vim.fs.dir(root, {
    depth = DEEPEST,
    skip = function(folder)
      return not vim.startswith(vim.fs.basename(folder), ".")
    end,
  })
  local function done(is_whole)
    look.is_done, look.is_whole = true, look.is_whole and is_whole
    require("copydesk.diagnostics.notes").emit()
  end
  local function piece()
    local until_ = vim.uv.hrtime() / 1e6 + PIECE
    while looks[root] == look do
      local name, kind = next_one(state, last)
      last = name
      if not name then
        return done(true)
      end
      entries = entries + 1
      local ending = M.ending(name)
      if kind == "link" then
        local stat = vim.uv.fs_stat(root .. "/" .. name)
        kind = stat and stat.type or kind
        -- Folders that lie elsewhere are not looked at.
        look.is_whole = look.is_whole and kind ~= "directory"
      end
      if kind == "file" and (HEADERS[ending] or M.UNITS[ending]) then
        files = files + 1
        look.is_whole = read(root .. "/" .. name, look.names) and look.is_whole
      end
      if entries > MOST_ENTRIES or files > M.most_files then
        return done(false)
      elseif vim.uv.hrtime() / 1e6 >= until_ then
        return vim.defer_fn(piece, 1)
      end
    end
  end
  vim.schedule(piece)
end

--- What is known of a folder.
---@param root string
---@return copydesk.Included
function M.below(root)
  if not looks[root] then
    looks[root] = { names = {}, is_done = false, is_whole = true }
    begin(root, looks[root])
  end
  return looks[root]
end

--- Something was changed there.
---@param root? string Nothing for all that is known.
function M.forget(root)
  if root then
    looks[root] = nil
  else
    looks = {}
  end
end

--- A file was written there that includes these. (What it includes no more is found when all is looked at again.)
---@param root string
---@param names table<string, true>
function M.add(root, names)
  if looks[root] then
    add(names, looks[root].names)
  end
end

return M
