--- Sends an earlier prompt again, edited.
---
--- Contract: no message is lost: going back forks the session, and the original stays. File changes are undone only if the
--- user chooses so, and then by merge.

local client = require("copydesk.client")
local message = require("copydesk.message")
local methods = require("copydesk.protocol").methods
local session = require("copydesk.session")

local M = {}

--- Puts a prompt and its context into the prompt window. Its mentions are read again when it is sent.
---@param view copydesk.View
---@param part copydesk.PartInfo
local function fill(view, part)
  require("copydesk.context").add_again(view, part)
  require("copydesk.chat").input(part.content.text)
end

---@param view copydesk.View
---@param part copydesk.PartInfo
local function go_back(view, part)
  client.request(methods.sessionFork, { session = view.id, before = part.id }, function(problem, result)
    if not result then
      return message.error(problem)
    end
    session.open(result.session.id, function(refused)
      if refused then
        return message.error(refused)
      end
      fill(view, part)
    end)
  end)
end

---@param view copydesk.View
---@param part copydesk.PartInfo
local function undo_and_go_back(view, part)
  require("copydesk.await").run(function()
    local files = require("copydesk.undo").undo(view, { after = part.id })
    if not files then
      return
    elseif #files > 0 then
      require("copydesk.undo_report").report(files, "undone")
    end
    go_back(view, part)
  end)
end

---@type { says: string, run: fun(view: copydesk.View, part: copydesk.PartInfo) }[]
local ways = {
  {
    says = "Go back to before this prompt; keep the files as they are",
    run = go_back,
  },
  {
    says = "Go back to before this prompt, and undo file changes since then",
    run = undo_and_go_back,
  },
  {
    says = "Copy it into the prompt below",
    run = fill,
  },
}

--- The prompt under the cursor, or the last one above it.
---@return copydesk.View?
---@return copydesk.PartInfo?
local function prompt_here()
  local transcript = require("copydesk.chat.transcript")
  local view = session.view(transcript.shown())
  local row = vim.api.nvim_win_get_cursor(0)[1] - 1
  local found
  for _, block in ipairs(transcript.blocks()) do
    if block.kind == "prompt" and block.count > 0 and block.first <= row then
      found = block
    end
  end
  return view, found and view and view.parts[view.at[found.part] or 0]
end

--- Asks the user how, and fills the prompt.
function M.here()
  local view, part = prompt_here()
  if not view or not part then
    return message.info("there is no prompt here")
  end
  local options = {
    prompt = "Send this prompt again",
    format_item = function(way)
      return way.says
    end,
  }
  vim.ui.select(ways, options, function(way)
    if way then
      way.run(view, part)
    end
  end)
end

return M
