--- The files that a call changes, from its metadata: one file, or a list.
---
--- Contract: pure; never throws, whatever the metadata holds; entries that are not files are dropped.

local M = {}

---@class copydesk.ChangedFile
---@field path string
---@field diff? string
---@field additions? number
---@field deletions? number

---@param told copydesk.ChangedFileMetadata
---@return copydesk.ChangedFile?
local function file(told)
  if type(told) ~= "table" or type(told.filepath) ~= "string" then
    return nil
  end
  return {
    path = told.filepath,
    diff = type(told.diff) == "string" and told.diff or nil,
    additions = tonumber(told.additions),
    deletions = tonumber(told.deletions),
  }
end

--- The files, in order.
---@param metadata? copydesk.CallMetadata|copydesk.PermissionAskMetadata
---@return copydesk.ChangedFile[]
function M.files(metadata)
  local edit = metadata --[[@as copydesk.EditMetadata|copydesk.TaskMetadata]]
  if type(edit) ~= "table" then
    return {}
  elseif type(edit.files) ~= "table" then
    return { file(edit) }
  end
  local files = {}
  for _, told in ipairs(edit.files) do
    files[#files + 1] = file(told)
  end
  return files
end

--- The line above a file's diff, if there are several files.
---@param changed copydesk.ChangedFile
---@return string
function M.heading(changed)
  local name = vim.fn.fnamemodify((changed.path:gsub("%c+", " ")), ":~:.")
  return ("%s (+%d -%d)"):format(name, changed.additions or 0, changed.deletions or 0)
end

return M
