--- `places`: puts the places of the last question about code into the quickfix list.

local message = require("copydesk.message")

local M = { summary = "places: the places that the agent found last, as a quickfix list" }

--- The last call of a session that found places.
---@param view copydesk.View
---@return copydesk.CodePlacesMetadata? found
---@return string title
local function last_places(view)
  for at = #view.parts, 1, -1 do
    local call = view.parts[at].content --[[@as copydesk.CallInfo]]
    local metadata = call.kind == "call" and call.output and call.output.metadata
    if type(metadata) == "table" and type(metadata.places) == "table" and #metadata.places > 0 then
      return metadata, call.output.title or call.name
    end
  end
  return nil, ""
end

function M.run(args)
  if #args > 0 then
    return message.error(("`places` takes no argument, not `%s`"):format(table.concat(args, " ")))
  end
  local view = require("copydesk.session").current()
  local found, title = nil, ""
  if view then
    found, title = last_places(view)
  end
  if not found then
    return message.info("the agent has found no places in this session")
  end
  local items = vim.tbl_map(function(place)
    return { filename = place.path, lnum = place.line, col = place.column, text = place.text }
  end, found.places)
  vim.fn.setqflist({}, " ", { title = "Copydesk: " .. title, items = items })
  vim.cmd("botright copen")
end

return M
