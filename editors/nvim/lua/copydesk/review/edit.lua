--- Edits the proposed text of a hunk in a float; `:w` accepts the edited text.
---
--- Contract: closing without writing decides nothing. The buffer is no document: it is unlisted and is wiped with its window.

local M = {}

---@param found copydesk.LocatedHunk
---@param bufnr integer
local function accept(found, bufnr)
  local lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, true)
  local is_nothing = #lines == 1 and lines[1] == ""
  local text = is_nothing and "" or table.concat(lines, "\n") .. "\n"
  vim.bo[bufnr].modified = false
  require("copydesk.await").run(function()
    local decision = {
      hunk = found.hunk.hunk,
      expected = found.hunk.expected,
      verdict = "accept",
      text = text,
    }
    local is_done = require("copydesk.review.decide").send(found.one.session, { decision })
    if not vim.api.nvim_buf_is_valid(bufnr) then
      return
    elseif is_done then
      vim.api.nvim_buf_delete(bufnr, { force = true })
    else
      -- Keep the text, so that the user can at least copy it.
      vim.bo[bufnr].modified = true
    end
  end)
end

--- Opens the float at the hunk.
---@param found copydesk.LocatedHunk
function M.open(found)
  local older = vim.fn.bufnr("^copydesk://edit$")
  if older > 0 then
    vim.api.nvim_buf_delete(older, { force = true })
  end
  local bufnr = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(bufnr, "copydesk://edit")
  vim.api.nvim_buf_set_lines(bufnr, 0, -1, true, found.hunk.new)
  local options, origin = vim.bo[bufnr], vim.bo[found.bufnr]
  options.buftype, options.bufhidden, options.swapfile = "acwrite", "wipe", false
  options.tabstop, options.shiftwidth, options.expandtab = origin.tabstop, origin.shiftwidth, origin.expandtab
  options.filetype = origin.filetype
  options.modified = false
  vim.api.nvim_create_autocmd("BufWriteCmd", {
    buffer = bufnr,
    desc = "Copydesk accepts the text",
    callback = function()
      accept(found, bufnr)
    end,
  })
  local height = math.max(3, math.min(#found.hunk.new + 1, math.floor(vim.o.lines / 2)))
  local width = math.min(vim.o.columns - 4, math.max(60, vim.api.nvim_win_get_width(0) - 8))
  local window = vim.api.nvim_open_win(bufnr, true, {
    relative = "cursor",
    row = 1,
    col = 0,
    width = width,
    height = height,
    style = "minimal",
    border = "rounded",
    title = " Copydesk: :w accepts this text ",
  })
  vim.wo[window].winhighlight = "FloatTitle:CopydeskTitle"
  vim.keymap.set("n", "q", function()
    if vim.api.nvim_buf_is_valid(bufnr) and not vim.bo[bufnr].modified then
      return pcall(vim.api.nvim_win_close, window, true)
    end
    require("copydesk.message").info("the text has changes: `:w` accepts it, `:q!` discards it")
  end, { buffer = bufnr, nowait = true, desc = "Close" })
end

return M
