--- The options of the plugin. The table of defaults documents itself: `:help copydesk-options` says the same at length.
---
--- Contract: `get()` always gives a whole configuration. What a person set wrongly is told in one line, with the name of the
--- option, and the default is used in its place.

local M = {}

---@class copydesk.Config
M.defaults = {
  --- The program. A name is looked for on PATH.
  cmd = "copydesk",
  --- Connect when Neovim has started, instead of at the first use.
  autostart = false,
  --- The window of the conversation.
  chat = {
    --- "right", "left", "bottom", "top", "tab" or "float".
    position = "right",
    --- Columns, or rows at the bottom and the top; up to 1 it is a share of the screen.
    size = 0.4,
    --- Rows that the prompt has at first, and at most.
    prompt = { min = 3, max = 12 },
    --- Reasoning is shown open, instead of folded.
    show_reasoning = false,
    --- How many parts of a session are loaded at once.
    page = 200,
    --- What becomes of a prompt while a turn runs: "steer" (the model reads it with its next step) or "queue" (after the turn).
    while_running = "steer",
  },
  --- Show the place where the agent is at work, in a window that shows a file already. Never takes the focus.
  follow = false,
  --- What is said through `vim.notify`: "all", "asks" (only what waits for you, and trouble), or "none".
  notify = "asks",
  --- Give the progress of turns to whatever shows that of language servers.
  progress = true,
  --- A small window for asks while the conversation is hidden.
  ask_float = true,
  --- Prompts that are remembered.
  history = 200,
  --- Signs for states, each one cell or two wide. Any letter will do where a font lacks them.
  icons = {
    pending = "○",
    running = "◐",
    completed = "✓",
    error = "✗",
    interrupted = "■",
    ask = "?",
    hunk = "±",
  },
  --- Edits of the agent that nobody has decided yet, in their buffers.
  review = {
    --- Signs in the sign column: lines that came, are others, went, and such that wait for you. `false`: none.
    signs = { added = "┃", changed = "┃", removed = "▔", proposed = "┆" },
    --- Say at the hunk under the cursor what its keys are.
    hint = true,
    --- Rows that lines beside the text have at most, in each hunk.
    virtual_lines = 40,
    --- Go to the next hunk after a decision.
    advance = false,
    --- Rows of the list of hunks.
    list = 12,
    --- Keys in buffers that have hunks, as long as they have. A default is left out where you have a map for it; `false` leaves
    --- one out, or all.
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
  --- Keys in the conversation's two windows. `false` leaves one out.
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
    reject = { n = "r" },
    reject_reason = { n = "R" },
    help = { n = "g?" },
  },
}

--- What each option takes, where its default does not say it.
local choices = {
  ["chat.position"] = { "right", "left", "bottom", "top", "tab", "float" },
  ["chat.while_running"] = { "steer", "queue" },
  notify = { "all", "asks", "none" },
}

--- Tables that can be left out as a whole.
local can_be_off = { ["review.signs"] = true, ["review.keys"] = true }

---@type copydesk.Config
local current = vim.deepcopy(M.defaults)

--- Whether a value may stand where the default stands.
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
    return ("`%s` is greater than zero"):format(name)
  elseif type(value) == "number" and default == math.floor(default) and value ~= math.floor(value) then
    return ("`%s` is a whole number"):format(name)
  end
end

--- The known name that is nearest to one that is not known.
---@param name string
---@param known table<string, any>
---@return string
local function nearest(name, known)
  local names = vim.tbl_keys(known)
  table.sort(names)
  local found = vim.fn.matchfuzzy(names, name)[1]
  return found and ("; did you mean `%s`?"):format(found) or ("; there are " .. table.concat(names, ", "))
end

--- The keys of one action, by mode; a mode with `false` has none.
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

--- Takes a person's options.
---@param options? table
---@return string[] problems What is wrong with them, a line each.
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
