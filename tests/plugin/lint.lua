-- A language server that reports every line with "bad" in it. Loaded after `server.lua`.
--
-- It supports pull ("pull"), or publishes for each text that it gets, with its version ("publish") or without
-- ("unnamed").
local PULL = "textDocument/diagnostic"

local function problems(text)
  local items = {}
  for number, line in ipairs(vim.split(text, "\n")) do
    local first = line:find("bad", 1, true)
    if first then
      items[#items + 1] = T.problem(number - 1, first - 1, #line, line:sub(first), { code = "B1", source = "lint" })
    end
  end
  return items
end

function T.lint(how, options)
  local function answer(params, self)
    return { result = { kind = "full", items = problems(self.texts[params.textDocument.uri]) } }
  end
  local own = { answers = { [PULL] = answer }, capabilities = how == "pull" and { diagnosticProvider = {} } or {} }
  local server = T.serve("lint", "python", vim.tbl_extend("force", own, options or {}))
  local notify = server.notify
  function server:notify(method, params)
    local went = notify(self, method, params)
    local document = params and params.textDocument
    local text = document and document.version and self.texts[document.uri]
    if how ~= "pull" and text then
      -- As from another process: not before Neovim has recorded that it sent the text.
      vim.schedule(function()
        vim.schedule(function()
          local version = how == "publish" and document.version or nil
          self:publish(vim.uri_to_fname(document.uri), problems(text), version)
        end)
      end)
    end
    return went
  end
  return server
end
