-- The user's own language server, configured as most users do, and the bench's actions in the editor.
local command, name = ...
local served = {
  ["rust-analyzer"] = { "rust" },
  ["typescript-language-server"] = { "typescript", "javascript" },
  ["typescript-7"] = { "typescript", "javascript" },
  pyright = { "python" },
  ruff = { "python" },
  clangd = { "c", "cpp" },
  gopls = { "go", "gomod" },
}
vim.api.nvim_create_autocmd("FileType", {
  pattern = assert(served[name]),
  callback = function(event)
    if vim.bo[event.buf].buftype == "" then
      vim.lsp.start({ name = name, cmd = command, root_dir = vim.uv.cwd() })
    end
  end,
})

-- Opens a file, and waits until the server and the daemon have it.
function T.opens(path)
  vim.cmd.edit({ args = { vim.fn.fnameescape(path) }, mods = { silent = true } })
  local buffer = vim.api.nvim_get_current_buf()
  local wanted = vim.list_contains(served[name], vim.bo[buffer].filetype) and 1 or 0
  T.until_(function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = name }) == wanted and require("copydesk.sync").version(buffer)
  end)
end

-- Replaces the text of a file, as typed and not saved.
function T.types(path, text)
  local buffer = vim.fn.bufadd(path)
  vim.fn.bufload(buffer)
  vim.api.nvim_buf_set_lines(buffer, 0, -1, true, vim.split(text:gsub("\n$", ""), "\n"))
end

-- The texts of file buffers, by path. A deleted file does not count, even if its buffer exists.
function T.shown()
  local texts = vim.empty_dict()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    local file = vim.api.nvim_buf_get_name(buffer)
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].buftype == "" and vim.uv.fs_stat(file) then
      local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
      texts[vim.fn.fnamemodify(file, ":.")] = table.concat(lines, "\n") .. "\n"
    end
  end
  return texts
end
