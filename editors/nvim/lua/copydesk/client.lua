--- The connection to the daemon: one `vim.lsp` client per Neovim, started on first use.
---
--- Contract: nothing here blocks. A request that cannot be sent gets its error. A lost connection is retried quietly with
--- growing delays; after the daemon refuses the plugin, only `restart` tries again.

local message = require("copydesk.message")
local protocol = require("copydesk.protocol")
local limits = require("copydesk.time_limits")

local M = {}

--- The plugin's version, the same as the binary's.
M.version = "0.1.0"

---@type "off"|"starting"|"ready"|"failed"
local status = "off"
---@type integer?
local client_id
---@type string? Why the last start failed.
local trouble
---@type fun(problem?: string)[]
local waiting = {}
--- Consecutive disconnects without a minute of connection in between.
local disconnects = 0
--- Counts the starts, so that events of an older one are ignored.
local start_number = 0

---@return vim.lsp.Client?
function M.get()
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  return status == "ready" and client or nil
end

---@return "off"|"starting"|"ready"|"failed" status
---@return string? trouble
function M.status()
  return status, trouble
end

---@param new "off"|"starting"|"ready"|"failed"
---@param problem? string
local function set_status(new, problem)
  status, trouble = new, problem
  local waited = waiting
  if new == "ready" or new == "failed" then
    waiting = {}
    for _, done in ipairs(waited) do
      done(problem)
    end
  end
  require("copydesk.progress").connection(new)
end

--- Finds out why a process ended before it answered.
---@param path string
---@param number integer
---@param code integer
local function explain_early_end(path, number, code)
  require("copydesk.binary").version(path, function(version, problem)
    if number ~= start_number or status ~= "starting" then
      return
    end
    local what = problem
    if version and version ~= M.version then
      what = ("the program is version %s, this plugin is %s: update the older one"):format(version, M.version)
    end
    set_status("failed", what or ("`%s lsp` ended with code %d; `copydesk doctor` may know why"):format(path, code))
  end)
end

---@param path string
---@param number integer
---@return copydesk.WireEvents
local function events_of(path, number)
  return {
    refused = function(text)
      if number == start_number and status == "starting" then
        set_status("failed", text)
      end
    end,
    ended = function(code)
      if number ~= start_number then
        return
      end
      client_id = nil
      if status == "starting" then
        explain_early_end(path, number, code)
      elseif status == "ready" then
        M.lost()
      end
    end,
  }
end

---@param path string
---@return vim.lsp.ClientConfig
local function config_of(path)
  start_number = start_number + 1
  local number = start_number
  return {
    name = "copydesk",
    cmd = require("copydesk.wire").command(path, events_of(path, number)),
    root_dir = vim.uv.cwd(),
    init_options = { copydesk = { protocol = protocol.protocol, client = "nvim", version = M.version } },
    handlers = require("copydesk.handlers").all(),
    on_init = function(client)
      if number ~= start_number then
        return
      end
      client_id = client.id
      -- Neovim sends `initialized` after this, and nothing may be sent before it.
      vim.schedule(function()
        if client_id == client.id then
          require("copydesk.diagnostics").start(client)
          require("copydesk.attach").all(client)
          set_status("ready")
          require("copydesk.pending").learn()
        end
      end)
    end,
  }
end

local function start()
  local path, problem = require("copydesk.binary").find()
  if not path then
    return set_status("failed", problem)
  end
  set_status("starting")
  local number = start_number + 1
  local started, id
  if vim.fn.has("nvim-0.11") == 1 then
    -- A client that is shutting down would match by name.
    local function reuse_client()
      return false
    end
    started, id = pcall(vim.lsp.start, config_of(path), { attach = false, reuse_client = reuse_client })
  else
    started, id = pcall(vim.lsp.start_client, config_of(path))
  end
  if not started or not id then
    return set_status("failed", ("cannot start `%s lsp`: %s"):format(path, id or "Neovim gives no reason"))
  end
  -- Kept so that `stop` also ends one that has not answered yet.
  client_id = id
  vim.defer_fn(function()
    if status == "starting" and number == start_number then
      message.warn("the daemon does not answer yet; `:Copydesk restart` retries, `:Copydesk log` may show why")
    end
  end, limits.request)
end

--- Connects, unless that was done already.
---@param done? fun(problem?: string)
function M.start(done)
  done = done or function() end
  if status == "ready" then
    return done()
  elseif status == "failed" then
    return done(trouble)
  end
  waiting[#waiting + 1] = done
  if status == "off" then
    start()
  end
end

--- Connects, and reports an error to the user.
function M.connect()
  M.start(function(problem)
    if problem then
      message.error(problem)
    end
  end)
end

--- Reconnects after the connection was lost, and reloads the open sessions.
function M.lost()
  set_status("off")
  require("copydesk.ask").clear()
  disconnects = disconnects + 1
  local number = start_number
  vim.defer_fn(function()
    if number ~= start_number or status ~= "off" then
      return
    end
    M.start(function(problem)
      if problem then
        message.error(problem)
      else
        require("copydesk.session").reload()
      end
    end)
  end, math.min(limits.first_reconnect * 2 ^ (disconnects - 1), limits.last_reconnect))
  vim.defer_fn(function()
    if number + 1 == start_number and status == "ready" then
      disconnects = 0
    end
  end, limits.stable_connection)
end

--- Disconnects; the daemon and its turns continue.
function M.stop()
  local client = client_id and vim.lsp.get_client_by_id(client_id)
  start_number = start_number + 1
  client_id = nil
  set_status("off")
  require("copydesk.ask").clear()
  if client then
    require("copydesk.sync").close_all(client)
    if vim.fn.has("nvim-0.11") == 1 then
      client:stop(true)
    else
      client.stop(true)
    end
  end
end

--- Reconnects, also after a failure.
---@param done? fun(problem?: string)
function M.restart(done)
  M.stop()
  disconnects = 0
  M.start(function(problem)
    if not problem then
      require("copydesk.session").reload()
    end
    if done then
      done(problem)
    end
  end)
end

--- Sends a request.
---@param method string
---@param params table
---@param done fun(problem?: string, result?: table, code?: integer)
function M.request(method, params, done)
  M.start(function(problem)
    local client = M.get()
    if problem or not client then
      return done(problem or "the connection to the daemon was lost")
    end
    local is_answered = false
    vim.defer_fn(function()
      if not is_answered then
        is_answered = true
        done("the daemon does not answer; `:Copydesk restart` reconnects, `:Copydesk! restart` also restarts the daemon")
      end
    end, limits.request)
    local function answered(failure, result)
      if is_answered then
        return
      end
      is_answered = true
      if failure then
        done(failure.message or vim.inspect(failure), nil, failure.code)
      else
        done(nil, result)
      end
    end
    params = next(params) and params or vim.empty_dict()
    local sent
    if vim.fn.has("nvim-0.11") == 1 then
      sent = client:request(method, params, answered)
    else
      sent = client.request(method, params, answered)
    end
    if not sent then
      is_answered = true
      done("the connection to the daemon was lost")
    end
  end)
end

--- Sends a request and waits for the response in a coroutine.
---@param method string
---@param params table
---@return string? problem
---@return table? result
---@return integer? code
function M.await_request(method, params)
  return require("copydesk.await").await(function(done)
    M.request(method, params, done)
  end)
end

return M
