-- The user of `vim.ui`: the test sees every dialog, and each is answered with the next of `T.answers`: a part of the
-- label or a text, or `false` to leave it. Without an answer it stays open.
T.answers = {}

local function next_answer(done, give)
  local answer = table.remove(T.answers, 1)
  if answer == nil then
    T.leave = function() done(nil) end
  elseif answer == false then
    done(nil)
  else
    give(answer)
  end
end

vim.ui.select = function(items, options, done)
  local labels = vim.tbl_map(options.format_item, items)
  local preview = {}
  if options.preview_item then
    local buffer = options.preview_item(items[1]).buf
    preview = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
    vim.api.nvim_buf_delete(buffer, { force = true })
  end
  T.tell("select", { prompt = options.prompt, kind = options.kind, labels = labels, preview = preview })
  next_answer(done, function(answer)
    for number, label in ipairs(labels) do
      if label:find(answer, 1, true) then return done(items[number], number) end
    end
    error("no label has " .. answer .. ": " .. vim.inspect(labels))
  end)
end

vim.ui.input = function(options, done)
  T.tell("input", { prompt = options.prompt, default = options.default })
  next_answer(done, done)
end
