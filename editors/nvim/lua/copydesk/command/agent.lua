--- `agent [NAME]`: sets the agent from the next turn on.

local message = require("copydesk.message")

local M = { summary = "agent [name]: choose the agent" }

---@param chosen? string
---@return string?
local function pick(chosen)
  local problem, result = require("copydesk.catalogue").agents()
  if not result then
    message.error(problem)
    return nil
  end
  local agent = require("copydesk.pick").select(result.agents, {
    prompt = "Agent",
    kind = "agent",
    label = function(agent)
      return ("%s%s: %s"):format(agent.name == chosen and "● " or "  ", agent.name, agent.description)
    end,
    preview = function(agent)
      return { agent.name, agent.description, agent.model and "Model: " .. agent.model or nil }
    end,
  })
  return agent and agent.name
end

function M.run(args)
  local view = require("copydesk.session").current()
  local wanted = args[1] or pick(view and view.session.agent)
  if wanted then
    local method = require("copydesk.protocol").methods.sessionSetAgent
    require("copydesk.catalogue").choose(method, "agent", wanted)
  end
end

function M.complete(lead, args)
  if #args > 0 then
    return {}
  end
  return require("copydesk.command").beginning(require("copydesk.catalogue").agent_names(), lead)
end

return M
