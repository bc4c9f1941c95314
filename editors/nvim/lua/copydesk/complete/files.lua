--- The files of a project, for completion.
---
--- Contract: nothing blocks on the disk. The cached list is returned at once; a stale one is refreshed in the background. Lists
--- are capped. Ignored files are left out if git or ripgrep is installed.

local await = require("copydesk.await")
local limits = require("copydesk.time_limits")

local M = {}

local MAX_FILES = 20000
--- The cap on a program's output.
local MAX_OUTPUT_BYTES = 4 * 1024 * 1024
--- Folders to skip without git or ripgrep: they hold generated files.
local SKIPPED = { node_modules = true, target = true }

---@class copydesk.FileList
---@field files string[]
---@field at integer When it was made, by `uv.now()`.
---@field is_being_made boolean
---@field waiting fun()[]

---@type table<string, copydesk.FileList>
local lists = {}

--- A repository could set `core.fsmonitor` to a program, which git would run.
---@type string[][]
local programs = {
  { "git", "-c", "core.fsmonitor=false", "ls-files", "--cached", "--others", "--exclude-standard", "-z" },
  { "rg", "--files", "--null", "--no-messages", "--sort", "path" },
}

--- The NUL-separated output of a program; nil if it fails.
---@param command string[]
---@param folder string
---@return string[]?
local function run(command, folder)
  if vim.fn.executable(command[1]) == 0 then
    return nil
  end
  local result, pieces = await.await(function(done)
    local read, size = {}, 0
    local process
    local started, object = pcall(vim.system, command, {
      cwd = folder,
      timeout = limits.list_files_command,
      stderr = false,
      stdout = function(_, data)
        read[#read + 1] = data
        size = size + #(data or "")
        if size > MAX_OUTPUT_BYTES and process then
          process:kill("sigterm")
        end
      end,
    }, function(ended)
      done(ended, read)
    end)
    process = started and object or nil
    if not started then
      done({ code = 127, signal = 0 }, {})
    end
  end)
  if result.code ~= 0 and #pieces == 0 then
    return nil
  end
  -- Each name ends with NUL; drop one that was cut off.
  local names = table.concat(pieces):sub(1, MAX_OUTPUT_BYTES):match("^.*%z") or ""
  return vim.split(names, "\0", { plain = true, trimempty = true })
end

--- Walks the folders without a program, the nearest first.
---@param folder string
---@return string[]
local function walk_folders(folder)
  local found, folders = {}, { "" }
  local at = 1
  while folders[at] and #found < MAX_FILES and at < MAX_FILES do
    local below = folders[at]
    at = at + 1
    local problem, entries = await.await(function(done)
      vim.uv.fs_scandir(vim.fs.joinpath(folder, below), done)
    end)
    while not problem and entries do
      local name, kind = vim.uv.fs_scandir_next(entries)
      if not name then
        break
      end
      local path = below == "" and name or below .. "/" .. name
      if kind == "directory" and not vim.startswith(name, ".") and not SKIPPED[name] then
        folders[#folders + 1] = path
      elseif kind ~= "directory" then
        found[#found + 1] = path
      end
    end
  end
  table.sort(found)
  return found
end

---@param folder string
---@param list copydesk.FileList
local function refresh_list(folder, list)
  list.is_being_made = true
  await.run(function()
    local found
    for _, command in ipairs(programs) do
      found = found or run(command, folder)
    end
    local files, known = {}, {}
    for _, path in ipairs(found or walk_folders(folder)) do
      -- git lists a file that is both changed and new twice. It also lists deleted files, which is harmless.
      if not known[path] and not path:find("[%c]") and #files < MAX_FILES then
        known[path] = true
        files[#files + 1] = path
      end
    end
    list.files, list.at, list.is_being_made = files, vim.uv.now(), false
    local waiting = list.waiting
    list.waiting = {}
    for _, arrived in ipairs(waiting) do
      arrived()
    end
  end)
end

--- The cached files below a folder.
---@param folder string
---@param arrived? fun() Called when a newer list is ready, if one is being made.
---@return string[]
function M.list(folder, arrived)
  local list = lists[folder]
  if not list then
    list = { files = {}, at = -limits.file_list_age, is_being_made = false, waiting = {} }
    lists[folder] = list
  end
  if arrived and (list.is_being_made or vim.uv.now() - list.at > limits.file_list_age) then
    list.waiting = { arrived }
  end
  if not list.is_being_made and vim.uv.now() - list.at > limits.file_list_age then
    refresh_list(folder, list)
  end
  return list.files
end

return M
