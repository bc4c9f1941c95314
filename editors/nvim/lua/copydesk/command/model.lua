--- `model [PROVIDER/MODEL]`: sets the model from the next turn on.

local message = require("copydesk.message")

local M = { summary = "model [name]: choose the model" }

---@param tokens? integer
---@return string
local function size(tokens)
  if not tokens then
    return ""
  elseif tokens >= 1000000 then
    return (", %.3gM tokens"):format(tokens / 1000000)
  end
  return (", %dk tokens"):format(math.floor(tokens / 1000))
end

---@param chosen? string
---@return string?
local function pick(chosen)
  local problem, result = require("copydesk.catalogue").models()
  if not result then
    message.error(problem)
    return nil
  elseif #result.models == 0 then
    message.warn("no model is set up; `copydesk auth add PROVIDER` in a terminal stores a key")
    return nil
  end
  chosen = chosen or result.default
  local model = require("copydesk.pick").select(result.models, {
    prompt = "Model",
    kind = "model",
    label = function(model)
      local place = model["local"] and ", on this machine" or ""
      local mark = model.id == chosen and "● " or "  "
      return ("%s%s (%s%s%s)"):format(mark, model.id, model.provider, size(model.context), place)
    end,
    preview = function(model)
      return { model.name, model.id, "Provider: " .. model.provider, "Context" .. size(model.context) }
    end,
  })
  return model and model.id
end

function M.run(args)
  local view = require("copydesk.session").current()
  local wanted = args[1] or pick(view and view.session.model)
  if wanted then
    local method = require("copydesk.protocol").methods.sessionSetModel
    require("copydesk.catalogue").choose(method, "model", wanted)
  end
end

function M.complete(lead, args)
  if #args > 0 then
    return {}
  end
  local names = require("copydesk.catalogue").model_names()
  return lead == "" and names or vim.fn.matchfuzzy(names, lead)
end

return M
