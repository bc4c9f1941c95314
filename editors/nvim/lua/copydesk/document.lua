--- Files under open documents: saving one as its person would, and reading one again that the desk has
--- changed.
---
--- Contract: nothing here asks anything, waits, takes the focus or moves a cursor. A file that somebody else
--- has changed since it was read is not written over; a buffer with changes of its own is not read again.

local buffer = require("copydesk.buffer")

local M = {}

--- What a file was like when its buffer was last read or written; `false` where there was none. Neovim knows
--- it too, and would ask a person where it is another by now.
---@class copydesk.KnownFile
---@field name string
---@field stamp string|false
---@field writes integer How often Neovim had written the buffer.

---@type table<integer, copydesk.KnownFile>
local known = {}

---@param name string
---@return string|false
local function stamp_of(name)
  local stat = vim.uv.fs_stat(name)
  return stat and ("%d.%09d %d"):format(stat.mtime.sec, stat.mtime.nsec, stat.size) or false
end

--- How often a buffer was written, also where no autocommands said so (`:noautocmd write`).
---@param bufnr integer
---@return integer
local function writes_of(bufnr)
  return vim.fn.undotree(bufnr).save_last
end

---@param bufnr integer
local function remember(bufnr)
  local name = vim.api.nvim_buf_get_name(bufnr)
  known[bufnr] = { name = name, stamp = stamp_of(name), writes = writes_of(bufnr) }
end

--- Looks at what is read and written from now on.
function M.watch()
  local group = vim.api.nvim_create_augroup("copydesk.document", {})
  vim.api.nvim_create_autocmd({ "BufReadPost", "BufNewFile", "BufWritePost" }, {
    group = group,
    desc = "Copydesk remembers the file as it was read or written",
    callback = function(event)
      -- A part of a buffer that is written elsewhere says nothing of its file.
      local file, name = vim.fn.fnamemodify(event.file, ":p"), vim.api.nvim_buf_get_name(event.buf)
      if event.event ~= "BufWritePost" or file == name then
        remember(event.buf)
      end
    end,
  })
  vim.api.nvim_create_autocmd({ "BufWipeout", "BufUnload" }, {
    group = group,
    desc = "Copydesk forgets the file",
    callback = function(event)
      known[event.buf] = nil
    end,
  })
end

--- Where edits have brought a text back to what its file has, nothing of it is to be saved, and what somebody else does to the file may
--- be read again.
---@param bufnr integer
function M.settle(bufnr)
  local name, was, options = vim.api.nvim_buf_get_name(bufnr), known[bufnr], vim.bo[bufnr]
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

--- Has Neovim look at the file of a buffer, without a question to anybody.
---@param bufnr integer
---@return string? reason What has changed, in the words of `v:fcs_reason`.
local function ask_neovim(bufnr)
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

--- Whether the file is another than the one that was read.
---@param bufnr integer
---@return boolean
local function is_changed(bufnr)
  local name, was = vim.api.nvim_buf_get_name(bufnr), known[bufnr]
  if was and was.name ~= name then
    -- A buffer with a new name has read nothing of the file that is there.
    return stamp_of(name) ~= false
  elseif was and was.stamp == stamp_of(name) then
    return false
  elseif was and was.writes == writes_of(bufnr) then
    return true
  end
  -- Nothing was seen of when it was read or written last; Neovim knows, unless it has told its person already.
  local reason = vim.bo[bufnr].modified and ask_neovim(bufnr) or nil
  return reason == "conflict" or reason == "changed"
end

--- Whether the encoding of the file has all letters of the text. Neovim would write something else for the
--- others.
---@param bufnr integer
---@return boolean
local function can_be_encoded(bufnr)
  local encoding = vim.bo[bufnr].fileencoding
  if encoding == "" or encoding:find("^utf") or encoding:find("^ucs%-4") then
    return true
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(bufnr, 0, -1, true), "\n")
  if encoding:find("^ucs%-2") then
    -- Two bytes for each, and so none of those that take four here.
    return not text:find("[\240-\255]")
  end
  local encoded = vim.iconv(text, "utf-8", encoding)
  return encoded ~= nil and vim.iconv(encoded, encoding, "utf-8") == text
end

---@param bufnr integer?
---@return string?
local function trouble_with(bufnr)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) then
    return "it is not open"
  elseif vim.api.nvim_buf_get_name(bufnr) == "" then
    return "it has no file name yet"
  elseif vim.bo[bufnr].buftype ~= "" then
    return "it is no file"
  elseif vim.bo[bufnr].readonly then
    return "it is read-only ('readonly' is on)"
  elseif is_changed(bufnr) then
    return "its file has been changed by somebody else since it was read"
  elseif not can_be_encoded(bufnr) then
    local why = "it has letters that its encoding ('fileencoding' is %s) has not"
    return why:format(vim.bo[bufnr].fileencoding)
  end
end

--- Saves a document.
---@param params copydesk.DocumentSaveParams
---@return copydesk.DocumentSaveResult
function M.save(params)
  local bufnr = buffer.of(params.uri)
  local trouble = trouble_with(bufnr)
  if trouble or not bufnr then
    return { saved = false, message = ("%s: %s"):format(buffer.shown(params.uri), trouble) }
  end
  -- With this option, what would be an error becomes a question.
  local confirms = vim.o.confirm
  if confirms then
    vim.o.confirm = false
  end
  local went, said = pcall(vim.api.nvim_buf_call, bufnr, function()
    return vim.api.nvim_exec2("lockmarks update", { output = true }).output
  end)
  if confirms then
    vim.o.confirm = true
  end
  -- What else is bound to saving may have taken the buffer away.
  if went and not vim.api.nvim_buf_is_valid(bufnr) then
    return { saved = true }
  elseif went and not vim.bo[bufnr].modified and vim.uv.fs_stat(vim.api.nvim_buf_get_name(bufnr)) then
    remember(bufnr)
    return { saved = true }
  end
  local why = tostring(said):match("E%d+:[^\n]*") or tostring(said):match("[^\n]+") or "it was not written"
  return { saved = false, message = ("%s: %s"):format(buffer.shown(params.uri), why) }
end

--- Reads a buffer again. Where it was open before its file was there, Neovim would ask; and again about a swap file, about which
--- its person has been asked. Where a callback of somebody else fails it would leave half a text, but for `silent!`.
---@param bufnr integer
---@param is_new boolean
local function read_again(bufnr, is_new)
  if is_new then
    require("copydesk.opening").unasked("e", vim.api.nvim_buf_call, bufnr, function()
      vim.cmd("silent! keepalt keepjumps edit")
    end)
    return
  end
  -- What was said for this buffer alone, if anything was.
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

--- The desk has changed a file that a buffer may hold.
---@param params copydesk.DocumentChangedParams
function M.changed(params)
  if params.reason == "deleted" then
    require("copydesk.visit").gone(params.uri)
  end
  require("copydesk.server").watched(params.uri, params.reason)
  local bufnr = buffer.of(params.uri)
  if not bufnr or not vim.api.nvim_buf_is_loaded(bufnr) or vim.bo[bufnr].buftype ~= "" then
    return
  elseif params.reason == "deleted" then
    return
  elseif vim.bo[bufnr].modified then
    local what = "%s was changed on the disk; the buffer has changes of its own and stays as it is"
    require("copydesk.message").info(what:format(buffer.shown(params.uri)))
    return
  end
  -- Who says so may not know whether it was there before.
  local was_there = known[bufnr] and known[bufnr].stamp
  read_again(bufnr, params.reason == "created" and not was_there)
end

return M
