--- The models and agents that the user can choose, as last listed by the daemon.
---
--- Contract: `models` and `agents` send a request and wait in a coroutine. The `…_names` functions return the cached names
--- at once and refresh them for the next completion.

local client = require("copydesk.client")
local methods = require("copydesk.protocol").methods

local M = {}

---@type string[]
local model_names = {}
---@type string[]
local agent_names = {}

---@param done fun(problem?: string, result?: copydesk.ModelsResult)
local function ask_models(done)
  client.request(methods.models, {}, function(problem, result)
    if result then
      model_names = vim.tbl_map(function(model)
        return model.id
      end, result.models)
    end
    done(problem, result)
  end)
end

---@param done fun(problem?: string, result?: copydesk.AgentsResult)
local function ask_agents(done)
  local folder = require("copydesk.context").folder()
  client.request(methods.agents, { folder = folder }, function(problem, result)
    if result then
      agent_names = vim.tbl_map(function(agent)
        return agent.name
      end, result.agents)
    end
    done(problem, result)
  end)
end

---@return string? problem
---@return copydesk.ModelsResult?
function M.models()
  return require("copydesk.await").await(ask_models)
end

---@return string? problem
---@return copydesk.AgentsResult?
function M.agents()
  return require("copydesk.await").await(ask_agents)
end

--- Sets the agent or model of the current session from its next turn on, and reports the outcome. Creates a session if
--- there is none.
---@param method string
---@param field "agent"|"model"
---@param name string
function M.choose(method, field, name)
  local message = require("copydesk.message")
  local problem, view = require("copydesk.await").await(require("copydesk.session").ensure)
  if view then
    problem = client.ask(method, { session = view.id, [field] = name })
  end
  if problem then
    message.error(("the %s was not changed: %s"):format(field, problem))
  else
    message.info(("`%s` answers from the next turn on"):format(name))
  end
end

local function ignore() end

---@return string[]
function M.model_names()
  ask_models(ignore)
  return model_names
end

---@return string[]
function M.agent_names()
  ask_agents(ignore)
  return agent_names
end

return M
