--- The options of the plugin, with their defaults. `:help copydesk-options` describes them in full.
---
--- Contract: `get()` always returns a complete configuration. A wrong option is reported in one line with its name, and its
--- default is used.

local M = {}

---@class copydesk.Config
M.defaults = {
  --- The binary: a path, or a name on PATH.
  cmd = "copydesk",
  --- Connect when Neovim has started, instead of on first use.
  autostart = false,
  --- The windows of the conversation.
  chat = {
    --- "right", "left", "bottom", "top", "tab" or "float".
    position = "right",
    --- Columns, or rows at the bottom and the top; a value up to 1 is a share of the screen.
    size = 0.4,
    --- The minimal and maximal rows of the prompt, and whether it opens in Insert mode.
    prompt = { min = 3, max = 12, insert = true },
    --- Show reasoning unfolded.
    show_reasoning = false,
    --- How many parts of a session are loaded at once.
    page = 200,
    --- What happens to a prompt while a turn runs: "steer" (the model reads it in its next step) or "queue" (after the turn).
    while_running = "steer",
  },
  --- Show the place where the agent works, in a window that shows a file already. Never takes the focus.
  follow = false,
  --- What `vim.notify` reports: "all", "asks" (only what waits for you, and errors), or "none".
  notify = "asks",
  --- Report the progress of turns as LSP progress.
  progress = true,
  --- A small window for asks while the conversation is hidden.
  ask_float = true,
  --- How many prompts are remembered.
  history = 200,
  --- Signs for states, one or two cells wide. Any letter works if a font lacks them.
  icons = {
    pending = "○",
    running = "◐",
    completed = "✓",
    error = "✗",
    interrupted = "■",
    ask = "?",
    hunk = "±",
  },
  --- How undecided edits of the agent look in their buffers.
  review = {
    --- Signs in the sign column for added, changed, removed and proposed lines. `false`: none.
    signs = { added = "┃", changed = "┃", removed = "▔", proposed = "┆" },
    --- Show the keys at the hunk under the cursor.
    hint = true,
    --- The maximal rows of virtual lines per hunk.
    virtual_lines = 40,
    --- Go to the next hunk after a decision.
    advance = false,
    --- Rows of the list of hunks.
    list = 12,
    --- Keys in buffers with hunks, while they have any. A default key is skipped if you have mapped it; `false` removes one key,
    --- or all.
    keys = {
      accept = { n = "gha", x = "gha" },
      reject = { n = "ghr", x = "ghr" },
      comment = { n = "ghc", x = "ghc" },
      edit = { n = "ghe" },
      accept_file = { n = "ghA" },
      reject_file = { n = "ghR" },
      next = { n = "]h" },
      previous = { n = "[h" },
    },
  },
  --- Keys in the conversation's two windows. `false` removes one.
  keys = {
    send = { n = "<CR>", i = "<C-s>" },
    stop = { n = "<C-c>", i = "<C-c>" },
    close = { n = "q" },
    earlier_prompt = { n = "<C-p>", i = "<C-p>" },
    later_prompt = { n = "<C-n>", i = "<C-n>" },
    jump = { n = "<CR>" },
    parent = { n = "-" },
    fold = { n = "<Tab>" },
    next_prompt = { n = "]]" },
    previous_prompt = { n = "[[" },
    resend = { n = "e" },
    changes = { n = "c" },
    undo = { n = "u" },
    redo = { n = "<C-r>" },
    once = { n = "o" },
    always = { n = "a" },
    always_project = { n = "A" },
    always_edit = { n = "E" },
    reject = { n = "r" },
    reject_reason = { n = "R" },
    help = { n = "g?" },
  },
}

--- The valid values of an option, where its default's type is not enough.
local choices = {
  ["chat.position"] = { "right", "left", "bottom", "top", "tab", "float" },
  ["chat.while_running"] = { "steer", "queue" },
  notify = { "all", "asks", "none" },
}

--- Tables that can be `false`.
local can_be_off = { ["review.signs"] = true, ["review.keys"] = true }

---@type copydesk.Config
local current = vim.deepcopy(M.defaults)

--- Why a value is wrong for an option.
---@param name string
---@param default any
---@param value any
---@return string? problem
local function problem_of(name, default, value)
  if choices[name] then
    if not vim.tbl_contains(choices[name], value) then
      return ("`%s` is one of %s, not %s"):format(name, table.concat(choices[name], ", "), vim.inspect(value))
    end
  elseif type(value) ~= type(default) then
    return ("`%s` is a %s, not a %s"):format(name, type(default), type(value))
  elseif type(value) == "number" and not (value > 0 and value < math.huge) then
    return ("`%s` must be greater than zero"):format(name)
  elseif type(value) == "number" and default == math.floor(default) and value ~= math.floor(value) then
    return ("`%s` must be a whole number"):format(name)
  end
end

--- A hint with the known name nearest to an unknown one.
---@param name string
---@param known table<string, any>
---@return string
local function nearest(name, known)
  local names = vim.tbl_keys(known)
  table.sort(names)
  local found = vim.fn.matchfuzzy(names, name)[1]
  return found and ("; did you mean `%s`?"):format(found) or ("; there are " .. table.concat(names, ", "))
end

--- The keys of one action, by mode; `false` removes a mode.
---@param name string
---@param given table
---@param problems string[]
---@return table<string, string>
local function keys_of(name, given, problems)
  local keys = {}
  for mode, key in pairs(given) do
    if mode ~= "n" and mode ~= "i" and mode ~= "x" then
      problems[#problems + 1] = ("`%s` has keys for the modes `n`, `i` and `x`, not for `%s`"):format(name, tostring(mode))
    elseif type(key) == "string" and key ~= "" then
      keys[mode] = key
    elseif key ~= false then
      problems[#problems + 1] = ("`%s.%s` is a key or false, not %s"):format(name, mode, vim.inspect(key))
    end
  end
  return keys
end

---@param defaults table
---@param given table
---@param at string
---@param problems string[]
---@return table
local function merge(defaults, given, at, problems)
  local merged = vim.deepcopy(defaults)
  for key, value in pairs(given) do
    local name = at .. tostring(key)
    local default = defaults[key]
    if default == nil then
      problems[#problems + 1] = ("there is no option `%s`%s"):format(name, nearest(tostring(key), defaults))
    elseif (at == "keys." or at == "review.keys." or can_be_off[name]) and value == false then
      merged[key] = {}
    elseif (at == "keys." or at == "review.keys.") and type(value) == "table" then
      merged[key] = keys_of(name, value, problems)
    elseif type(default) == "table" and type(value) == "table" then
      merged[key] = merge(default, value, name .. ".", problems)
    else
      local problem = problem_of(name, default, value)
      if problem then
        problems[#problems + 1] = problem
      else
        merged[key] = value
      end
    end
  end
  return merged
end

--- Sets the user's options.
---@param options? table
---@return string[] problems The errors in them, one line each.
function M.set(options)
  local problems = {}
  if options ~= nil and type(options) ~= "table" then
    options, problems = {}, { ("`setup` takes a table, not a %s"):format(type(options)) }
  end
  current = merge(M.defaults, options or {}, "", problems)
  return problems
end

---@return copydesk.Config
function M.get()
  return current
end

return M
