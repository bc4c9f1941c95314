--- Earlier prompts, the latest last, kept across Neovim sessions.
---
--- Contract: one private file of capped size; read and write errors are ignored.

local M = {}

---@type string[]?
local prompts

---@return string
local function file()
  return vim.fs.joinpath(vim.fn.stdpath("state"), "copydesk", "prompts.json")
end

---@return string[]
local function load()
  local handle = io.open(file(), "r")
  if not handle then
    return {}
  end
  local text = handle:read("*a")
  handle:close()
  local ok, list = pcall(vim.json.decode, text)
  if not ok or not vim.islist(list) then
    return {}
  end
  return vim.tbl_filter(function(item)
    return type(item) == "string"
  end, list)
end

---@return string[]
function M.all()
  prompts = prompts or load()
  return prompts
end

--- Stores a prompt; an earlier copy of it is removed.
---@param text string
function M.add(text)
  -- Another Neovim may have added to the file meanwhile.
  local list = vim.tbl_filter(function(item)
    return item ~= text
  end, load())
  list[#list + 1] = text
  prompts = vim.list_slice(list, math.max(1, #list - require("copydesk.config").get().history + 1))
  pcall(vim.fn.mkdir, vim.fs.dirname(file()), "p", "0o700")
  local staged = ("%s.%d"):format(file(), vim.fn.getpid())
  local handle = io.open(staged, "w")
  if handle then
    handle:write(vim.json.encode(prompts))
    handle:close()
    vim.uv.fs_chmod(staged, tonumber("600", 8))
    vim.uv.fs_rename(staged, file())
  end
end

return M
