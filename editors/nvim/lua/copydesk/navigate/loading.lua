--- Whether a language server still loads the project: that it finds nothing then means nothing.

local M = {}

--- What servers call that work. (A compiler that checks is not part of it.)
local LOADING = { "index", "load", "fetch", "scan", "setting up", "initializ", "import", "crategraph" }

---@param client vim.lsp.Client
---@return boolean
function M.is_loading(client)
  for _, title in pairs(client.progress.pending) do
    local words = tostring(title):lower()
    for _, word in ipairs(LOADING) do
      if words:find(word, 1, true) then
        return true
      end
    end
  end
  return false
end

return M
