-- Neovim with the plugin, as its user has it. Loaded after `line.lua`.
--
-- The test gets the plugin's `User` events and notifications (`vim.notify`). Keys are typed as by a user; a screen is read
-- cell by cell.
vim.opt.runtimepath:prepend(vim.env.TEST_PLUGIN)
vim.o.columns = 100
vim.o.lines = 30
vim.o.termguicolors = true
vim.o.laststatus = 2
vim.o.ruler = false
vim.o.showcmd = false
vim.cmd("filetype plugin indent on | syntax enable")

T.said = {}
vim.notify = function(text, level)
  T.said[#T.said + 1] = text
  T.tell("said", { text = text, level = level or 2 })
end

vim.api.nvim_create_autocmd("User", {
  pattern = "Copydesk*",
  callback = function(event) T.tell(event.match, event.data or vim.empty_dict()) end,
})

-- Types. The keys are handled when this returns; what they started may continue.
function T.keys(keys)
  vim.api.nvim_feedkeys(vim.api.nvim_replace_termcodes(keys, true, true, true), "mx!", false)
end

-- Types, and stays in insert mode: more keys follow.
function T.type(keys)
  vim.api.nvim_input(keys)
end

-- The visible text, one line per row, without trailing spaces.
function T.screen()
  vim.cmd("redraw!")
  local rows = {}
  for row = 1, vim.o.lines do
    local cells = {}
    for column = 1, vim.o.columns do
      cells[column] = vim.fn.screenstring(row, column)
    end
    rows[row] = (table.concat(cells):gsub("%s+$", ""))
  end
  return table.concat(rows, "\n")
end

-- Calls `check` after every event until it returns something, and returns that. Nothing sleeps: Neovim's loop runs
-- whenever there is something to do.
function T.until_(check)
  return T.await(function(done)
    local poll = assert(vim.uv.new_check())
    local wake = assert(vim.uv.new_timer())
    local is_done = false
    local function look()
      if is_done then return end
      local found = check()
      if found then
        is_done = true
        poll:stop()
        poll:close()
        wake:stop()
        wake:close()
        done(found)
      end
    end
    poll:start(vim.schedule_wrap(look))
    -- An idle loop does not run at all.
    wake:start(10, 10, function() end)
  end)
end

-- Most tests begin in Normal mode, and say so by their keys.
local defaults = { chat = { prompt = { insert = false } } }
require("copydesk").setup(vim.tbl_deep_extend("force", defaults, vim.json.decode(vim.env.TEST_SETUP)))
