--- What an empty conversation says: which model answers, what to do if none is set up, and which other sessions need the user.
---
--- Contract: reads only what the daemon last listed; the same knowledge gives the same block.

local M = {}

--- The lines about the model.
---@param agent? string
---@return string[]
local function model_lines(agent)
  local id, info, is_known = require("copydesk.catalogue").default_model(agent)
  if not is_known then
    return {}
  elseif id and not (info and info.offline) then
    return { ("%s answers. `:Copydesk model` chooses another."):format(id) }
  end
  return {
    id and "No model is set up, so the built-in offline model answers. It only repairs errors, renames and finds."
      or "No model is set up.",
    "To set one up, run `copydesk auth add anthropic` (or openai, google, openrouter, …) in a terminal, or start Ollama.",
  }
end

--- The lines about other sessions of this folder.
---@return string[]
local function session_lines()
  local lines = {}
  for _, one in ipairs(require("copydesk.pending").list()) do
    local name = require("copydesk.session").name(one.session)
    lines[#lines + 1] = ("“%s” %s: `:Copydesk sessions`"):format(name, require("copydesk.pending").state(one))
  end
  return lines
end

--- Draws an empty conversation.
---@param agent? string The agent of its session, if it has one.
---@return copydesk.Block
function M.block(agent)
  local block = { lines = {}, marks = {}, kind = "welcome" } ---@type copydesk.Block
  for _, line in ipairs(vim.list_extend(model_lines(agent), session_lines())) do
    block.lines[#block.lines + 1] = (line:gsub("%c+", " "))
    require("copydesk.chat.render").mark(block, #block.lines - 1, "CopydeskDim")
  end
  return block
end

return M
