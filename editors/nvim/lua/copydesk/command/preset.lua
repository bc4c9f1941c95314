--- `preset [NAME]`: sets what runs unasked in the session, from the next call on.

local message = require("copydesk.message")

local M = { summary = "preset [careful|normal|trusting|default]: choose what runs without asking" }

local words = { "careful", "normal", "trusting", "default" }

local confirmations = {
  careful = "careful: everything that changes or runs something asks",
  normal = "normal: commands that only read run unasked, and builds and tests in the sandbox; everything else asks",
  trusting = "trusting: edits and commands inside the workspace run unasked",
  default = "your configuration decides what runs unasked",
}

---@param chosen? string
---@return string?
local function pick(chosen)
  return require("copydesk.pick").select(words, {
    prompt = "What runs without asking",
    kind = "preset",
    label = function(word)
      return ("%s%s"):format(word == (chosen or "default") and "● " or "  ", confirmations[word])
    end,
  })
end

---@param preset string
local function choose(preset)
  local problem, view = require("copydesk.await").await(function(done)
    require("copydesk.session").ensure(done)
  end)
  if view then
    local params = { session = view.id, preset = preset ~= "default" and preset or nil }
    problem = require("copydesk.client").await_request(require("copydesk.protocol").methods.sessionSetPreset, params)
  end
  if problem then
    return message.error(("the preset was not changed: %s"):format(problem))
  end
  message.info(confirmations[preset])
end

function M.run(args)
  if #args > 1 or args[1] and not vim.list_contains(words, args[1]) then
    local given = table.concat(args, " ")
    return message.error(("`preset` takes `careful`, `normal`, `trusting` or `default`, not `%s`"):format(given))
  end
  local view = require("copydesk.session").current()
  local wanted = args[1] or pick(view and view.session.preset)
  if wanted then
    choose(wanted)
  end
end

function M.complete(lead, args)
  return #args == 0 and require("copydesk.command").beginning(words, lead) or {}
end

return M
