--- Asks whether the user trusts the folder of a session.
---
--- Contract: asks once per folder and Neovim, before the first prompt, if the user was never asked. Dismissing the question changes
--- nothing, and the prompt is sent in any case, also if the picker never calls back: without trust the daemon runs nothing of the folder.

local message = require("copydesk.message")

local M = {}

--- The folders about which the user was asked in this Neovim.
---@type table<string, true>
local asked = {}

---@class copydesk.TrustChoice
---@field label string
---@field folders string[] In this order.
---@field trusted boolean

---@param folder string
---@return string
local function brief(folder)
  return vim.fn.fnamemodify(folder, ":~")
end

--- Whether a folder contains the home, and so downloads and more.
---@param folder string
---@return boolean
local function contains_home(folder)
  local home = vim.uv.os_homedir() or ""
  home = vim.uv.fs_realpath(home) or home
  return vim.startswith(home .. "/", folder == "/" and folder or folder .. "/")
end

---@param folder string
---@return copydesk.TrustChoice[]
local function choices(folder)
  local items = {
    { label = "Yes: language servers may run its build scripts, and its configuration counts", folders = { folder }, trusted = true },
    { label = "No: read, edit and review without them", folders = { folder }, trusted = false },
  }
  local parent = vim.fs.dirname(folder)
  if not contains_home(parent) and vim.fs.basename(parent):lower() ~= "downloads" then
    local label = ("Yes, and everything else in %s"):format(brief(parent))
    table.insert(items, 2, { label = label, folders = { parent, folder }, trusted = true })
  end
  return items
end

--- Sends a choice to the daemon, and shows what it counts for.
---@param view copydesk.View
---@param choice copydesk.TrustChoice
local function set(view, choice)
  local method = require("copydesk.protocol").methods.trustSet
  for _, folder in ipairs(choice.folders) do
    local params = { folder = folder, trusted = choice.trusted }
    local problem, result = require("copydesk.client").await_request(method, params)
    if not result then
      return message.error(("the choice was not stored: %s"):format(problem))
    end
    view.trust = result
  end
  local words = choice.trusted and "%s is trusted, from the next prompt on" or "%s is not trusted"
  message.info(words:format(brief(choice.folders[1])))
end

--- Lets the user choose. Waits in a coroutine.
---@param view copydesk.View
function M.choose(view)
  local folder = view.trust.folder
  asked[folder] = true
  local choice = require("copydesk.pick").select(choices(folder), {
    prompt = ("Do you trust the authors of the files in %s and below?"):format(brief(folder)),
    kind = "trust",
    label = function(item)
      return item.label
    end,
  })
  if choice then
    set(view, choice)
  end
end

--- Prompts that wait for the user's choice, the oldest first.
---@type fun()[]
local waiting = {}

--- Sends the prompts that wait, each once.
local function release()
  local prompts = waiting
  waiting = {}
  for _, send in ipairs(prompts) do
    send()
  end
end

--- Some pickers never call back when they are closed. The user has left one once they are back in the window where it opened.
---@param window integer
local function release_when_left(window)
  vim.api.nvim_create_autocmd("WinEnter", {
    group = vim.api.nvim_create_augroup("copydesk.trust", {}),
    callback = function()
      if vim.api.nvim_get_current_win() == window then
        vim.defer_fn(release, require("copydesk.time_limits").picker_answer)
        return true
      end
    end,
  })
end

--- Asks if the user was never asked about the folder; then calls `go_on`.
---@param view copydesk.View
---@param go_on fun()
function M.ask_if_new(view, go_on)
  local trust = view.trust
  local is_open = trust and trust.trust == "unasked" and not asked[trust.folder]
  if not is_open or contains_home(trust.folder) then
    -- The user goes on, whatever their picker does.
    release()
    return go_on()
  end
  waiting[#waiting + 1] = go_on
  release_when_left(vim.api.nvim_get_current_win())
  require("copydesk.await").run(function()
    M.choose(view)
    release()
  end)
end

return M
