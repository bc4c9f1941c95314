--- The highlight groups: links to groups that every colour scheme has, or shades of its colours.
---
--- Contract: settings of the user or a colour scheme win (`default`). `define` may be called any number of times.

local M = {}

--- Each group and its default link.
---@type table<string, string>
M.groups = {
  --- The heading of the user's prompts.
  CopydeskYou = "Identifier",
  --- The name of a tool in the line of a call.
  CopydeskTool = "Function",
  --- States of calls.
  CopydeskDone = "DiagnosticOk",
  CopydeskError = "DiagnosticError",
  CopydeskRunning = "DiagnosticInfo",
  --- What waits for the user.
  CopydeskAsk = "DiagnosticWarn",
  --- Less important text: durations, reasoning, hints.
  CopydeskDim = "Comment",
  --- Lines of a diff.
  CopydeskAdded = "Added",
  CopydeskRemoved = "Removed",
  --- Titles of windows.
  CopydeskTitle = "Title",
  --- Signs and line numbers of hunks.
  CopydeskAddedSign = "Added",
  CopydeskChangedSign = "Changed",
  CopydeskRemovedSign = "Removed",
  CopydeskProposedSign = "DiagnosticInfo",
  --- The keys at the hunk under the cursor.
  CopydeskHint = "Comment",
}

---@class copydesk.Shade
---@field of string The group whose colour is mixed into the background.
---@field share number The share of that colour.
---@field cterm string The group to copy on a terminal with few colours.
---@field struck? boolean

--- Backgrounds of hunks: a light tint, so that the text keeps its own colours and stays readable.
---@type table<string, copydesk.Shade>
M.shades = {
  --- Added lines in the text, and the words that differ in them.
  CopydeskAdd = { of = "Added", share = 0.14, cterm = "DiffAdd" },
  CopydeskAddWord = { of = "Added", share = 0.34, cterm = "DiffText" },
  --- Removed lines, as virtual lines.
  CopydeskDelete = { of = "Removed", share = 0.14, cterm = "DiffDelete" },
  CopydeskDeleteWord = { of = "Removed", share = 0.36, cterm = "DiffText" },
  --- Lines in the text that a proposal removes.
  CopydeskOld = { of = "Removed", share = 0.14, cterm = "DiffDelete", struck = true },
  CopydeskOldWord = { of = "Removed", share = 0.36, cterm = "DiffText", struck = true },
  --- Lines that a proposal adds, as virtual lines.
  CopydeskNew = { of = "Added", share = 0.14, cterm = "DiffAdd" },
  CopydeskNewWord = { of = "Added", share = 0.34, cterm = "DiffText" },
}

--- The definition set here for each shade.
---@type table<string, table>
local own_definitions = {}

---@param colour integer
---@param ground integer
---@param share number
---@return integer
local function mix(colour, ground, share)
  local mixed = 0
  for _, place in ipairs({ 65536, 256, 1 }) do
    local a, b = math.floor(colour / place) % 256, math.floor(ground / place) % 256
    mixed = mixed + math.floor(a * share + b * (1 - share) + 0.5) * place
  end
  return mixed
end

---@param name string
---@return table
local function group(name)
  return vim.api.nvim_get_hl(0, { name = name, link = false })
end

---@param shade copydesk.Shade
---@return table
local function shaded(shade)
  local is_dark = vim.o.background == "dark"
  -- If `Normal` has no background, assume that of the default colours.
  local ground = group("Normal").bg or (is_dark and 0x14161b or 0xe0e2ea)
  local colour = group(shade.of).fg or (shade.of == "Added" and 0x3fb950 or 0xf85149)
  local plain = group(shade.cterm)
  return {
    bg = mix(colour, ground, shade.share),
    strikethrough = shade.struck,
    ctermfg = plain.ctermfg,
    ctermbg = plain.ctermbg,
    cterm = shade.struck and { strikethrough = true } or plain.cterm,
  }
end

--- Whether a group is undefined or still as defined here.
---@param name string
---@return boolean
local function is_ours(name)
  local now = vim.api.nvim_get_hl(0, { name = name })
  return next(now) == nil or own_definitions[name] ~= nil and vim.deep_equal(now, own_definitions[name])
end

local function define()
  for name, to in pairs(M.groups) do
    vim.api.nvim_set_hl(0, name, { link = to, default = true })
  end
  for name, shade in pairs(M.shades) do
    if is_ours(name) then
      vim.api.nvim_set_hl(0, name, shaded(shade))
      own_definitions[name] = vim.api.nvim_get_hl(0, { name = name })
    end
  end
end

local is_defined = false

--- Defines the groups, and again after each colour scheme.
function M.define()
  if is_defined then
    return
  end
  is_defined = true
  define()
  local autocmds = vim.api.nvim_create_augroup("copydesk.highlight", {})
  local options = { group = autocmds, desc = "Copydesk's highlight groups", callback = define }
  vim.api.nvim_create_autocmd("ColorScheme", options)
  options.pattern = "background"
  vim.api.nvim_create_autocmd("OptionSet", options)
end

return M
