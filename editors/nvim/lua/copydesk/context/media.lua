--- Images and PDFs, detected by their first bytes.
---
--- Contract: reads a file only if it is small enough to send.

local M = {}

--- The providers' limit: 5 MiB as base64.
M.largest = 5 * 1024 * 1024 / 4 * 3
--- How many one prompt takes.
M.most = 10

---@type { begins: string, mime: string }[]
local signatures = {
  { begins = "^\137PNG\r\n\26\n", mime = "image/png" },
  { begins = "^\255\216\255", mime = "image/jpeg" },
  { begins = "^GIF8[79]a", mime = "image/gif" },
  { begins = "^RIFF....WEBP", mime = "image/webp" },
  { begins = "^%%PDF%-", mime = "application/pdf" },
}

---@param path string
---@param length integer
---@return string?
local function read(path, length)
  local file = io.open(path, "rb")
  local bytes = file and file:read(length)
  if file then
    file:close()
  end
  return bytes
end

--- The media type of an image or PDF; nil for other files.
---@param path string
---@return string? mime
function M.kind(path)
  local head = read(path, 16) or ""
  for _, signature in ipairs(signatures) do
    if head:find(signature.begins) then
      return signature.mime
    end
  end
end

--- Reads a file to send.
---@param path string
---@param others integer How many the prompt already has.
---@return copydesk.MediaContent?
---@return string? problem
function M.read(path, others)
  local name = vim.fs.basename(path)
  if others >= M.most then
    return nil, ("one prompt takes at most %d images and PDFs"):format(M.most)
  end
  local stat = vim.uv.fs_stat(path)
  local mime = M.kind(path)
  if not stat or not mime then
    return nil, ("`%s` is no longer a readable image or PDF"):format(name)
  end
  if stat.size > M.largest then
    local megabyte = 1024 * 1024
    local sizes = ("%.1f MB, but at most %.1f MB"):format(stat.size / megabyte, M.largest / megabyte)
    return nil, ("`%s` has %s can be sent; make it smaller"):format(name, sizes)
  end
  local bytes = read(path, M.largest + 1)
  if not bytes or #bytes > M.largest then
    return nil, ("cannot read `%s`"):format(name)
  end
  return { mime = mime, base64 = vim.base64.encode(bytes), name = name }
end

return M
