--- Asks the user through `vim.ui`, so that their own picker is used.
---
--- Contract: waits in a coroutine; returns nil if the user chose nothing. Labels are one line each.

local await = require("copydesk.await").await

local M = {}

---@param text string
---@return string
local function one_line(text)
  return (text:gsub("[%c]+", " "))
end

---@class copydesk.PickOptions
---@field prompt string
---@field label fun(item: any): string
---@field kind string For pickers that know kinds: gets the prefix `copydesk.`.
---@field preview? fun(item: any): string[] Lines about an item, for pickers that show them.

--- Lets the user choose one item.
---@generic T
---@param items T[]
---@param options copydesk.PickOptions
---@return T?
---@return integer? number
function M.select(items, options)
  -- Neovim's own list would begin behind the answer to the last one, in the same row.
  vim.cmd("redraw")
  return await(function(done)
    vim.ui.select(items, {
      prompt = one_line(options.prompt),
      kind = "copydesk." .. options.kind,
      format_item = function(item)
        return one_line(options.label(item))
      end,
      preview_item = options.preview and function(item)
        local buffer = vim.api.nvim_create_buf(false, true)
        vim.bo[buffer].bufhidden = "wipe"
        vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(one_line, options.preview(item)))
        return { buf = buffer }
      end or nil,
    }, done)
  end)
end

--- Lets the user type a line.
---@param prompt string
---@param default? string
---@return string? text Nil if it is empty.
function M.input(prompt, default)
  local text = await(function(done)
    vim.ui.input({ prompt = one_line(prompt), default = default }, done)
  end)
  text = text and vim.trim(text) or ""
  return text ~= "" and text or nil
end

--- Asks for confirmation. The harmless answer comes first.
---@param question string
---@param yes string
---@param no string
---@return boolean
function M.confirm(question, yes, no)
  local answer = M.select({ no, yes }, {
    prompt = question,
    kind = "confirm",
    label = function(item)
      return item
    end,
  })
  return answer == yes
end

return M
