--- Commands of the user that an edit must not come between.
---
--- Contract: changes nothing. Waits in a coroutine, and only for a time.

local limits = require("copydesk.time_limits")

local M = {}

--- Whether the edits leave a line unchanged and at its row.
---@param ranges copydesk.ByteRange[]
---@param row integer From 0.
---@return boolean
local function leaves_line(ranges, row)
  return not vim.iter(ranges):any(function(range)
    local moves = #range.lines - 1 ~= range.end_row - range.start_row
    return range.start_row <= row and (range.end_row >= row or moves)
  end)
end

--- Whether Neovim shows what a command line would do ('inccommand'). It changes the buffer for that, and takes back whatever
--- is in it when the command line ends, with an edit that was made meanwhile. Until then it reports no change of any buffer.
---@return boolean
function M.is_previewing()
  if not vim.api.nvim_get_mode().mode:find("^c") then
    return false
  end
  local kind = vim.fn.getcmdtype()
  if vim.o.inccommand == "" then
    return false
  elseif kind == "=" then
    -- The command line below an expression is not known.
    return true
  end
  local is_command, parsed = pcall(vim.api.nvim_parse_cmd, vim.fn.getcmdline(), {})
  if kind ~= ":" or not is_command then
    return false
  end
  local own = vim.api.nvim_buf_get_commands(0, {})[parsed.cmd] or vim.api.nvim_get_commands({})[parsed.cmd]
  local is_built_in = vim.list_contains({ "substitute", "smagic", "snomagic" }, parsed.cmd)
  return is_built_in or own ~= nil and own.preview and own.preview ~= vim.NIL or false
end

--- Whether the user types into a block. When insert mode ends, Neovim repeats in the block's other lines what it finds by the numbers
--- of lines and bytes: after an edit that would be a piece of another line.
---@param mode string
---@return boolean
local function is_block_insert(mode)
  return mode:find("^[iR]") ~= nil and vim.fn.state("o") ~= "" and vim.fn.visualmode() == "\22"
end

--- Whether the user is in the middle of a command that remembers its line and would continue in a changed text: an operator
--- without its motion, a `:substitute` that asks, a completion with nothing chosen yet, a block. Or Neovim previews a command.
---@param targets copydesk.EditTarget[]
---@return boolean
function M.is_at_targets(targets)
  local mode, current = vim.api.nvim_get_mode().mode, vim.api.nvim_get_current_buf()
  local target = vim.iter(targets):find(function(one)
    return one.bufnr == current
  end)
  if M.is_previewing() then
    return true
  elseif not target then
    return false
  elseif mode:find("^[iR]v?[cx]") then
    return not leaves_line(target.ranges, vim.api.nvim_win_get_cursor(0)[1] - 1)
  end
  return mode:find("^no") ~= nil or mode:find("^r[m?]") ~= nil or is_block_insert(mode)
end

--- Waits up to `limits.pending_command` while the user is in the middle of such a command.
---@param is_busy fun(): boolean
---@return boolean is_free
function M.wait(is_busy)
  if not is_busy() then
    return true
  elseif not coroutine.running() then
    return false
  end
  local timer, watch, is_late = assert(vim.uv.new_timer()), nil, false
  require("copydesk.await").await(function(done)
    local function look()
      if is_late or not is_busy() then
        done()
      end
    end
    local looks = 0
    -- Neovim fires no event on leaving some of these modes.
    timer:start(limits.pending_command_poll, limits.pending_command_poll, vim.schedule_wrap(function()
      looks = looks + 1
      is_late = looks * limits.pending_command_poll >= limits.pending_command
      look()
    end))
    watch = vim.api.nvim_create_autocmd("ModeChanged", { callback = look })
  end)
  timer:close()
  vim.api.nvim_del_autocmd(watch)
  return not is_busy()
end

return M
