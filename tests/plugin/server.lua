-- A language server inside Neovim that follows the test, and the daemon's requests about it.
--
-- It attaches to buffers like the user's servers: by file type. Its notifications go to the test as the event
-- "server"; it responds to requests from `answers`, in a later turn of Neovim's loop, unless the method is held.
T.servers = {}

local Server = {}
Server.__index = Server

-- Stops holding a method: pending requests are answered in order.
function Server:release(method)
  local waiting = self.held[method] or {}
  self.held[method] = nil
  for _, answer in ipairs(waiting) do answer() end
end

-- Publishes diagnostics of a file; `version` may be nil.
function Server:publish(path, items, version)
  local params = { uri = T.uri(path), diagnostics = items, version = version }
  self.dispatchers.notification("textDocument/publishDiagnostics", params)
end

-- The version of a file that it has.
function Server:version(path)
  return self.versions[T.uri(path)]
end

function Server:progress(kind, title)
  local params = { token = "work", value = { kind = kind, title = title } }
  self.dispatchers.notification("$/progress", params)
end

-- Registers a method later, like servers that request their settings first.
function Server:register(method, options)
  local registration = { id = method, method = method, registerOptions = options }
  self.dispatchers.server_request("client/registerCapability", { registrations = { registration } })
end

function Server:die()
  self.is_dead = true
  self.dispatchers.on_exit(1, 0)
end

function Server:request(method, params, callback, replied)
  if self.is_dead then return false end
  self.count = self.count + 1
  local id = self.count
  local function answer()
    vim.schedule(function()
      if self.is_dead then return end
      if replied then replied(id) end
      if method == "initialize" then
        return callback(nil, { capabilities = self.capabilities })
      elseif method == "shutdown" then
        return callback(nil, nil)
      end
      local given = self.cancelled[id] and { result = self.nothing } or self.answers[method]
      if type(given) == "function" then given = given(params, self) end
      given = given == nil and {} or given
      callback(given.problem, given.result)
    end)
  end
  if self.held[method] then
    table.insert(self.held[method], answer)
  else
    answer()
  end
  T.tell("asked", { server = self.name, method = method, params = params })
  return true, id
end

function Server:notify(method, params)
  if self.is_dead then return false end
  local document = params and params.textDocument
  if document and document.version then self.versions[document.uri] = document.version end
  if document and params.contentChanges and self.texts[document.uri] then
    -- Whole texts, unless a test says otherwise.
    local last = params.contentChanges[#params.contentChanges]
    self.texts[document.uri] = last and last.text or self.texts[document.uri]
  elseif document and document.text then
    self.texts[document.uri] = document.text
  end
  if method == "exit" then
    self.is_dead = true
    self.dispatchers.on_exit(0, 0)
  end
  if method == "$/cancelRequest" then self.cancelled[params.id] = true end
  if method == "textDocument/didClose" then
    self.versions[document.uri], self.texts[document.uri] = nil, nil
  end
  T.tell("server", { server = self.name, method = method, params = params or vim.empty_dict() })
  return true
end

-- Starts a server for a file type. `options`: `capabilities`, `answers`, and the `held` methods.
function T.serve(name, filetype, options)
  local self = setmetatable({
    name = name, count = 0, cancelled = {}, versions = {}, texts = {}, held = {}, answers = options.answers or {},
    -- Some servers answer a cancelled request as if there were nothing.
    nothing = { kind = "full", items = {} },
  }, Server)
  for _, method in ipairs(options.held or {}) do self.held[method] = {} end
  local sync = { openClose = true, change = options.sync or 1, save = true }
  self.capabilities = vim.tbl_extend("force", { textDocumentSync = sync }, options.capabilities or {})
  -- Neovim 0.10 does not announce this by default.
  local ours = vim.lsp.protocol.make_client_capabilities()
  ours.textDocument.diagnostic = { dynamicRegistration = true }
  T.servers[name] = self
  local function cmd(dispatchers)
    self.dispatchers = dispatchers
    return {
      request = function(...) return self:request(...) end,
      notify = function(...) return self:notify(...) end,
      is_closing = function() return self.is_dead or false end,
      terminate = function() if not self.is_dead then self.is_dead = true dispatchers.on_exit(0, 0) end end,
    }
  end
  vim.api.nvim_create_autocmd("FileType", {
    pattern = filetype,
    callback = function()
      if not self.is_dead then
        vim.lsp.start({
          name = name, cmd = cmd, root_dir = vim.uv.cwd(), capabilities = ours,
          offset_encoding = options.encoding, handlers = options.handlers, on_attach = options.on_attach,
        })
      end
    end,
  })
  return self
end

-- Records the plugin's reports to the daemon, with their method, from now on.
function T.reports()
  local reports = {}
  vim.api.nvim_create_autocmd("LspNotify", {
    callback = function(event)
      local name = event.data.method:match("^copydesk/server/(.*)")
      if name then table.insert(reports, vim.tbl_extend("error", { name = name }, event.data.params)) end
    end,
  })
  return reports
end

-- The reports of documents that have this event.
function T.reported(reports, event)
  return vim.tbl_filter(function(report) return report.event == event end, reports)
end

function T.uri(path)
  return vim.uri_from_fname(vim.fs.normalize(vim.fn.fnamemodify(path, ":p")))
end

function T.client_of(name)
  return vim.lsp.get_clients({ name = name, _uninitialized = true })[1]
end

-- Opens a file and waits until a server and the daemon have it.
function T.edit(path, name)
  if vim.fn.bufnr(path) ~= vim.api.nvim_get_current_buf() then
    vim.cmd.edit({ args = { vim.fn.fnameescape(path) }, mods = { silent = true } })
  end
  local buffer = vim.api.nvim_get_current_buf()
  T.until_(function()
    local ours = require("copydesk.client").get()
    local is_told = not name or T.servers[name]:version(path)
    return is_told and ours and require("copydesk.sync").version(buffer)
  end)
  T.turn()
end

-- Types into the current buffer, and waits until the server and the daemon know.
function T.change(lines, path, name)
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  local version = T.version(path)
  T.until_(function() return T.servers[name]:version(path) == version end)
  -- Neovim reports what it has sent in a later turn.
  T.turn()
end

-- Lets Neovim handle pending events.
function T.turn()
  T.await(function(done) vim.schedule(done) end)
end

-- The daemon's version of a file.
function T.version(path)
  return require("copydesk.buffer").version(vim.fn.bufnr(path))
end

-- A diagnostic on one line.
function T.problem(line, first, last, message, more)
  local range = { start = { line = line, character = first }, ["end"] = { line = line, character = last } }
  return vim.tbl_extend("force", { range = range, message = message, severity = 1 }, more or {})
end

local function range_text(range)
  local first, last = range.start, range["end"]
  return ("%d:%d-%d:%d"):format(first.line, first.character, last.line, last.character)
end

-- A response in a form to compare: files by name, ranges as text, versions only if they are current.
function T.plain(value)
  if type(value) ~= "table" then return value end
  if value.start and value["end"] then return range_text(value) end
  local plain = {}
  for key, one in pairs(value) do
    -- Why something is unknown is for people: the tests that are about it look at the result itself.
    if key ~= "why" then plain[key] = key == "uri" and vim.fs.basename(vim.uri_to_fname(one)) or T.plain(one) end
  end
  if plain.version then
    plain.version = value.version == T.version(vim.uri_to_fname(value.uri)) and "present" or "another"
  end
  return plain
end

-- Sends a request as the daemon does, by its handler.
function T.ask(what, params)
  if params.path then
    params.uri, params.path = T.uri(params.path), nil
  end
  local client = assert(require("copydesk.client").get())
  if what == "diagnostics" then
    -- The daemon judges them, and asks the plugin for what it needs.
    return T.plain(T.await(function(done)
      require("copydesk.server").request(client, "copydesk/diagnostics", params, nil, function(problem, result)
        done(result or { state = "failed", problem = problem })
      end)
    end))
  end
  local method = "copydesk/editor/" .. what
  return T.plain(client.handlers[method](nil, params, { client_id = client.id, method = method }))
end

-- The same without waiting; the response is the event "answer".
function T.begin(what, params)
  coroutine.wrap(function() T.tell("answer", T.ask(what, params)) end)()
end
