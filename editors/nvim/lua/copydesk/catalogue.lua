--- The models and agents that the user can choose, as last listed by the daemon.
---
--- Contract: `models` and `agents` send a request and wait in a coroutine. The `…_names` functions return the cached names
--- at once and refresh them for the next completion.

local client = require("copydesk.client")
local methods = require("copydesk.protocol").methods

local M = {}

---@type table<string, copydesk.ModelInfo> By `PROVIDER/MODEL`.
local models = {}
---@type table<string, { id?: string }> The default model by agent; the default agent's under "".
local defaults = {}
---@type string[]
local model_names = {}
---@type string[]
local agent_names = {}

---@param done fun(problem?: string, result?: copydesk.ModelsResult)
---@param agent? string
local function ask_models(done, agent)
  local params = { folder = require("copydesk.context").folder(), agent = agent }
  client.request(methods.models, params, function(problem, result)
    if result then
      models, model_names = {}, {}
      for number, model in ipairs(result.models) do
        models[model.id], model_names[number] = model, model.id
      end
      defaults[agent or ""] = { id = result.default }
    end
    done(problem, result)
  end)
end

--- Lists the models again, and redraws the conversation with what is new.
---@param agent? string
function M.refresh_models(agent)
  ask_models(function(_, result)
    if result then
      require("copydesk.chat.transcript").redraw_tail()
      require("copydesk.chat.winbar").redraw()
    end
  end, agent)
end

--- The model of a session of an agent whose user chose none; without a name, of the default agent. As last listed.
---@param agent? string
---@return string? id
---@return copydesk.ModelInfo?
---@return boolean is_known Whether it was listed.
function M.default_model(agent)
  local default = defaults[agent or ""]
  local id = default and default.id
  return id, id and models[id] or nil, default ~= nil
end

--- A model as last listed.
---@param id? string
---@return copydesk.ModelInfo?
function M.model(id)
  return id and models[id] or nil
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
  local view = require("copydesk.session").current()
  return require("copydesk.await").await(function(done)
    ask_models(done, view and view.session.agent)
  end)
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
    problem = client.await_request(method, { session = view.id, [field] = name })
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
