--- Files of open documents: saves one as the user would, and reloads one that the daemon changed.
---
--- Contract: nothing here asks a question, blocks, takes the focus or moves a cursor. A file that changed on disk since it was
--- read is not overwritten; a modified buffer is not reloaded.

local buffer = require("copydesk.buffer")

local M = {}

--- The state of a file when its buffer was last read or written. Neovim tracks this, too, but would ask the user about a
--- difference.
---@class copydesk.KnownFile
---@field name string
---@field stamp string|false `false` if the file did not exist.
---@field writes integer How often Neovim had written the buffer.

---@type table<integer, copydesk.KnownFile>
local known_files = {}

---@param name string
---@return string|false
local function stamp_of(name)
  local stat = vim.uv.fs_stat(name)
  return stat and ("%d.%09d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or false
end

--- How often a buffer was written, including `:noautocmd write`.
---@param bufnr integer
---@return integer
local function writes_of(bufnr)
  return vim.fn.undotree(bufnr).save_last
end

---@param bufnr integer
local function remember(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  known_files[bufnr] = { name = name, stamp = stamp_of(name), writes = writes_of(bufnr) }
end

--- The file of a buffer was moved along with it.
---@param bufnr integer
function M.renamed(bufnr)
  local was, name = known_files[bufnr], vim.api.nvim_buf_get_name(bufnr)
  if was then
    was.name = name
  end
end

--- Whether a BufWritePost is about the buffer's own file: a buffer, or a part of it, may be written to another one.
---@param event {file: string, buf: integer}
---@return boolean
function M.is_own_file(event)
  return vim.fn.fnamemodify(event.file, ":p") == vim.api.nvim_buf_get_name(event.buf)
end

--- Starts to track reads and writes.
function M.watch()
  local group = vim.api.nvim_create_augroup("copydesk.document", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufWritePost" }, {
    group = group,
    desc = "Copydesk remembers the file as it was read or written",
    callback = function(event)
      if event.event ~= "BufWritePost" or M.is_own_file(event) then
        remember(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "BufWipeout", "BufUnload" }, {
    group = group,
    desc = "Copydesk forgets the file",
    callback = function(event)
      known_files[event.buf] = nil
    end,
  })
end

--- Clears 'modified' if edits brought a text back to what its file has: then nothing needs saving, and the file may be reloaded
--- when it changes.
---@param bufnr integer
function M.settle(bufnr)
  local name, was, options = vim.api.nvim_buf_get_name(bufnr), known_files[bufnr], vim.bo[bufnr]
  local is_plain = options.buftype == "" and options.fileformat == "unix" and not options.bomb
  local is_utf8 = options.fileencoding == "" or options.fileencoding == "utf-8"
  if not options.modified or not is_plain or not is_utf8 or not was or was.name ~= name then
    return
  end
  local stat, size = vim.uv.fs_stat(name), vim.api.nvim_buf_get_offset(bufnr, vim.api.nvim_buf_line_count(bufnr))
  if not stat or stat.type ~= "file" or stat.size ~= size or was.stamp ~= stamp_of(name) then
    return
  end
  local file = io.open(name, "rb")
  local on_disk = file and file:read("*a")
  if file then
    file:close()
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n")
  if on_disk and (on_disk == text or on_disk == text .. "\n") then
    options.modified = false
  end
end

--- Lets Neovim check the file of a buffer without asking the user.
---@param bufnr integer
---@return string? reason What changed, as in `v:fcs_reason`.
local function check_file(bufnr)
  local reason
  local watch = vim.api.nvim_create_autocmd("FileChangedShell", {
    buffer = bufnr,
    callback = function()
      reason = vim.v.fcs_reason
      vim.v.fcs_choice = ""
    end,
  })
  pcall(vim.cmd, "silent! checktime " .. bufnr)
  pcall(vim.api.nvim_del_autocmd, watch)
  return reason
end

--- Whether the file changed since it was read.
---@param bufnr integer
---@return boolean
local function is_changed(bufnr)
  local name, was = vim.api.nvim_buf_get_name(bufnr), known_files[bufnr]
  if was and was.name ~= name then
    -- A renamed buffer has not read the file that already has its new name.
    return stamp_of(name) ~= false
  elseif was and was.stamp == stamp_of(name) then
    return false
  elseif was and was.writes == writes_of(bufnr) then
    return true
  end
  -- The last read or write was not seen. Neovim knows, unless it has already told the user.
  local reason = vim.bo[bufnr].modified and check_file(bufnr) or nil
  return reason == "conflict" or reason == "changed"
end

--- Whether the file's encoding can represent the text. Neovim would silently write other characters.
---@param bufnr integer
---@return boolean
local function can_be_encoded(bufnr)
  local encoding = vim.bo[bufnr].fileencoding
  if encoding == "" or encoding:find("^utf") or encoding:find("^ucs%-4") then
    return true
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n")
  if encoding:find("^ucs%-2") then
    -- Two bytes per character: none that takes four in UTF-8.
    return not text:find("[\240-\255]")
  end
  local encoded = vim.iconv(text, "utf-8", encoding)
  return encoded ~= nil and vim.iconv(encoded, encoding, "utf-8") == text
end

---@param bufnr integer?
---@return string?
local function save_problem(bufnr)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not open"
  elseif vim.api.nvim_buf_get_name(bufnr) == "" then
    return "it has no file name yet"
  elseif vim.bo[bufnr].buftype ~= "" then
    return "it is no file"
  elseif vim.bo[bufnr].readonly then
    return "it is read-only ('readonly' is on)"
  elseif is_changed(bufnr) then
    return "its file has changed on disk since it was read"
  elseif not can_be_encoded(bufnr) then
    local why = "it has characters that its encoding cannot represent ('fileencoding' is %s)"
    return why:format(vim.bo[bufnr].fileencoding)
  end
end

--- Saves a document.
---@param params copydesk.DocumentSaveParams
---@return copydesk.DocumentSaveResult
function M.save(params)
  local bufnr = buffer.of(params.uri)
  local trouble = save_problem(bufnr)
  if trouble or not bufnr then
    return { saved = false, message = ("%s: %s"):format(buffer.shown(params.uri), trouble) }
  end
  -- With 'confirm', an error would become a question.
  local confirms = vim.o.confirm
  if confirms then
    vim.o.confirm = false
  end
  local ok, output = pcall(vim.api.nvim_buf_call, bufnr, function()
    return vim.api.nvim_exec2("lockmarks update", { output = true }).output
  end)
  if confirms then
    vim.o.confirm = true
  end
  -- Autocommands of the write may have deleted the buffer.
  if ok and not vim.api.nvim_buf_is_valid(bufnr) then
    return { saved = true }
  elseif ok and not vim.bo[bufnr].modified and vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr)) then
    remember(bufnr)
    return { saved = true }
  end
  local why = tostring(output):match("E%d+:[^\n]*") or tostring(output):match("[^\n]+") or "it was not written"
  return { saved = false, message = ("%s: %s"):format(buffer.shown(params.uri), why) }
end

--- Reloads a buffer. If the buffer is older than its file, `:checktime` would ask the user, so it uses `:edit` and answers the swap
--- file prompt. `silent!`, because a failing autocommand would otherwise leave half a text.
---@param bufnr integer
---@param is_new boolean
local function read_again(bufnr, is_new)
  if is_new then
    require("copydesk.quiet_open").with_swap_answer("e", vim.api.nvim_buf_call, bufnr, function()
      vim.cmd("silent! keepalt keepjumps edit")
    end)
    return
  end
  -- The buffer's own value, if it has one.
  local own = vim.bo[bufnr].autoread ---@type boolean?
  vim.bo[bufnr].autoread = true
  pcall(vim.cmd, "silent! checktime " .. bufnr)
  if not vim.api.nvim_buf_is_loaded(bufnr) then
    return
  elseif own ~= nil then
    vim.bo[bufnr].autoread = own
  else
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd("set autoread<")
    end)
  end
end

--- Handles `copydesk/document/changed`: the daemon has changed a file.
---@param params copydesk.DocumentChangedParams
function M.changed(params)
  if params.reason == "deleted" then
    require("copydesk.visit").gone(params.uri)
  end
  require("copydesk.server").watched(params.uri, params.reason)
  if params.reason == "created" then
    require("copydesk.apply.file_operation").reopen(params.uri)
  end
  local bufnr = buffer.of(params.uri)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= "" then
    return
  elseif params.reason == "deleted" then
    return
  elseif vim.bo[bufnr].modified then
    local what = "%s changed on disk; its buffer has unsaved changes and was not reloaded"
    require("copydesk.message").info(what:format(buffer.shown(params.uri)))
    return
  end
  -- The daemon may not know whether the file existed before.
  local was_there = known_files[bufnr] and known_files[bufnr].stamp
  read_again(bufnr, params.reason == "created" and not was_there)
end

return M
