--- A small window in which the user edits what "always" would allow, one pattern per line.
---
--- Contract: waits in a coroutine. <CR> in Normal mode or `:write` returns the lines; leaving the window in any other way returns
--- nil. The buffer is no document.

local M = {}

---@param patterns string[]
---@return string[]? patterns Nil if the user gave up, or left no line.
function M.edit(patterns)
  local scratch = require("copydesk.scratch")
  if not scratch.can_open() then
    return nil
  end
  return require("copydesk.await").await(function(done)
    local buffer = vim.api.nvim_create_buf(false, true)
    vim.bo[buffer].buftype, vim.bo[buffer].bufhidden = "acwrite", "wipe"
    vim.api.nvim_buf_set_name(buffer, ("copydesk://always-%d"):format(buffer))
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, patterns)
    vim.bo[buffer].modified = false
    local width = 46
    for _, pattern in ipairs(patterns) do
      width = math.max(width, vim.fn.strdisplaywidth(pattern) + 8)
    end
    width = math.min(width, math.max(20, vim.o.columns - 4))
    local height = math.min(#patterns + 2, math.max(1, vim.o.lines - 6))
    local window = scratch.open_centered(buffer, width, height, "Always allow, <CR> accepts, q leaves")
    ---@param lines? string[]
    local function finish(lines)
      vim.schedule(function()
        pcall(vim.api.nvim_win_close, window, true)
      end)
      done(lines)
    end
    local function accept()
      local lines = vim.tbl_map(vim.trim, vim.api.nvim_buf_get_lines(buffer, 0, -1, false))
      lines = vim.tbl_filter(function(line)
        return line ~= ""
      end, lines)
      vim.bo[buffer].modified = false
      finish(#lines > 0 and lines or nil)
    end
    vim.keymap.set("n", "<CR>", accept, { buffer = buffer, nowait = true, desc = "Accept" })
    vim.keymap.set("n", "q", function()
      finish()
    end, { buffer = buffer, nowait = true, desc = "Leave" })
    vim.api.nvim_create_autocmd("BufWriteCmd", { buffer = buffer, callback = accept })
    vim.api.nvim_create_autocmd("WinLeave", {
      buffer = buffer,
      once = true,
      callback = function()
        finish()
      end,
    })
  end)
end

return M
