--- Images and PDFs, known by how their bytes begin.
---
--- Contract: a file is read only if it is small enough to be sent.

local M = {}

--- What providers take: 5 MiB as base64.
M.largest = 5 * 1024 * 1024 / 4 * 3
--- So many go with a prompt.
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

--- What kind of image or PDF a file is; nothing where it is none.
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

--- A file as it is sent.
---@param path string
---@param others integer How many go with the prompt already.
---@return copydesk.MediaContent?
---@return string? problem
function M.read(path, others)
  local name = vim.fs.basename(path)
  if others >= M.most then
    return nil, ("more than %d images and PDFs cannot go with one prompt"):format(M.most)
  end
  local stat = vim.uv.fs_stat(path)
  local mime = M.kind(path)
  if not stat or not mime then
    return nil, ("`%s` cannot be read as an image or a PDF any more"):format(name)
  end
  if stat.size > M.largest then
    local megabyte = 1024 * 1024
    local sizes = ("%.1f MB, and at most %.1f MB"):format(stat.size / megabyte, M.largest / megabyte)
    return nil, ("`%s` has %s can be sent: make it smaller"):format(name, sizes)
  end
  local bytes = read(path, M.largest + 1)
  if not bytes or #bytes > M.largest then
    return nil, ("`%s` cannot be read"):format(name)
  end
  return { mime = mime, base64 = vim.base64.encode(bytes), name = name }
end

return M
