--- `add [FILE…|%|selection|diagnostics|quickfix|clear]`: adds context to the next prompt.
---
--- Without an argument it adds the range, or the buffer. Then lists what is added.

local message = require("copydesk.message")

local M = { summary = "add [file…|%|selection|diagnostics|quickfix|clear]: to the next prompt" }

local words = { "selection", "diagnostics", "quickfix", "clear" }

--- The pieces of an argument: one, unless it is a file pattern.
---@param argument string
---@param window integer
---@return copydesk.ContextPiece[]
---@return string? problem
local function pieces_of(argument, window)
  local context = require("copydesk.context")
  local word = argument == "%" and "buffer" or argument
  local piece, problem = context.resolve(word, window)
  if piece or problem then
    return { piece }, problem
  end
  local pieces = {}
  if argument:find("[*?%[]") then
    local pattern = argument:find("^[/~]") and argument or vim.fs.joinpath(context.folder(), argument)
    for _, path in ipairs(vim.fn.glob(pattern, false, true)) do
      pieces[#pieces + 1] = context.resolve(path, window)
    end
  end
  if #pieces == 0 then
    return {}, ("there is no file `%s`; `add` also takes %%, %s"):format(argument, table.concat(words, ", "))
  end
  return pieces
end

local function report_added()
  local labels = require("copydesk.context").labels()
  if #labels == 0 then
    message.info("nothing is added to the next prompt")
  else
    message.info(("added to the next prompt: %s"):format(table.concat(labels, ", ")))
  end
end

function M.run(args, given)
  local context = require("copydesk.context")
  if #args == 0 then
    local piece, problem = require("copydesk.command.ask").selection(given), nil
    if not piece then
      piece, problem = context.resolve("buffer", given.window)
    end
    if not piece then
      return message.error(problem or "there is nothing to add")
    end
    context.add(piece)
  end
  for _, argument in ipairs(args) do
    if argument == "clear" then
      context.clear()
    else
      local pieces, problem = pieces_of(argument, given.window)
      if problem then
        return message.error(problem)
      end
      vim.iter(pieces):each(context.add)
    end
  end
  report_added()
end

function M.complete(lead)
  local found = require("copydesk.command").beginning(words, lead)
  for _, path in ipairs(vim.fn.getcompletion(lead, "file")) do
    found[#found + 1] = (path:gsub("[\\%s]", "\\%0"))
  end
  return found
end

return M
