--- Navigation by the user's own language servers: `copydesk/editor/navigate`.
---
--- Contract: for definitions and hovers the first server with a result wins; references and symbols are merged from all servers.
--- A failing server does not fail the request: the state tells the truth. An empty result of a server that still loads the project
--- does not count; it is asked again while there is time. Yields while it waits, and never longer than allowed.

local server = require("copydesk.server")
local signal = require("copydesk.signal")
local limits = require("copydesk.time_limits")

local M = {}

--- How many items of a call hierarchy are followed.
local MAX_ITEMS = 8

---@class copydesk.NavigateWay
---@field method string
---@field takes "position"|"document"|"query"
---@field is_enough? fun(asked: copydesk.AskedServer): boolean Nil if all servers count.
---@field calls? string The method of the second step.
---@field read? fun(result: any, reading: copydesk.Reading, add: fun(one?: table, name?: string))
---@field list? "locations"|"symbols"

local read = require("copydesk.navigate.read")

---@param asked copydesk.AskedServer
---@return boolean
local function is_something(asked)
  return type(asked.result) == "table" and next(asked.result) ~= nil
end

---@param asked copydesk.AskedServer
---@return boolean
local function is_hover(asked)
  return read.hover(asked.result) ~= nil
end

---@type table<copydesk.NavigateKind, copydesk.NavigateWay>
local WAYS = {
  hover = { method = "textDocument/hover", takes = "position", is_enough = is_hover },
  documentSymbols = {
    method = "textDocument/documentSymbol",
    takes = "document",
    read = read.document_symbols,
    list = "symbols",
  },
  workspaceSymbols = {
    method = "workspace/symbol",
    takes = "query",
    read = read.workspace_symbols,
    list = "symbols",
  },
  incomingCalls = {
    method = "textDocument/prepareCallHierarchy",
    takes = "position",
    calls = "callHierarchy/incomingCalls",
    is_enough = is_something,
  },
  outgoingCalls = {
    method = "textDocument/prepareCallHierarchy",
    takes = "position",
    calls = "callHierarchy/outgoingCalls",
    is_enough = is_something,
  },
}
for _, kind in ipairs({ "definition", "declaration", "typeDefinition", "implementation", "references" }) do
  WAYS[kind] = {
    method = "textDocument/" .. kind,
    takes = "position",
    is_enough = kind ~= "references" and is_something or nil,
    read = read.locations,
    list = "locations",
  }
end

---@class copydesk.Navigation One request of the daemon.
---@field way copydesk.NavigateWay
---@field params copydesk.NavigateParams
---@field buffer? integer
---@field uri? string Its URI for the servers.
---@field deadline number
---@field lines? fun(uri: string): copydesk.Lines
---@field to copydesk.Encoding

---@param navigation copydesk.Navigation
---@param client vim.lsp.Client
---@return copydesk.AskedServer
local function question(navigation, client)
  local way, buffer, params = navigation.way, navigation.buffer, {}
  if way.takes == "query" then
    params.query = navigation.params.query or ""
  else
    params.textDocument = { uri = navigation.uri }
  end
  if way.takes == "position" then
    local position = require("copydesk.position")
    local lines = position.lines_of(buffer)
    local asked = navigation.params.position
    params.position = position.position(asked, lines, navigation.to, client.offset_encoding)
  end
  if way.method == "textDocument/references" then
    params.context = { includeDeclaration = true }
  end
  return { client = client, method = way.method, params = params }
end

---@param navigation copydesk.Navigation
---@param client vim.lsp.Client
---@return copydesk.Reading
local function reading(navigation, client)
  return { lines = navigation.lines, from = client.offset_encoding, to = navigation.to, uri = navigation.uri }
end

--- Follows the items of a call hierarchy to their callers or callees.
---@param navigation copydesk.Navigation
---@param prepared copydesk.AskedServer
---@return copydesk.SymbolInfo[] symbols
---@return copydesk.AskedServer[] asked
local function calls(navigation, prepared)
  local method, symbols, questions = navigation.way.calls, {}, {}
  for number, item in ipairs(prepared.result) do
    if number <= MAX_ITEMS and type(item) == "table" then
      table.insert(questions, { client = prepared.client, method = method, params = { item = item } })
    end
  end
  require("copydesk.navigate.gather").gather(questions, navigation.buffer, navigation.deadline)
  local add = read.collector(symbols)
  for _, asked in ipairs(questions) do
    local context = reading(navigation, prepared.client)
    context.uri = require("copydesk.position").uri(asked.params.item.uri) or context.uri
    read.calls(asked.result, method == "callHierarchy/incomingCalls", context, add)
  end
  return symbols, questions
end

--- The result of the answers; nil if they are empty.
---@param navigation copydesk.Navigation
---@param asked copydesk.AskedServer[]
---@return copydesk.NavigateResult?
---@return copydesk.AskedServer[] asked The requests whose failures count.
local function found(navigation, asked)
  local way, names, list = navigation.way, {}, {}
  local add = read.collector(list)
  for _, one in ipairs(asked) do
    local before = #list
    if one.is_answered and way.calls and is_something(one) then
      local symbols, questions = calls(navigation, one)
      if #symbols > 0 then
        return { state = "answered", symbols = symbols, server = one.client.name }, questions
      end
      return nil, questions
    elseif one.is_answered and way.read then
      way.read(one.result, reading(navigation, one.client), add)
    elseif one.is_answered then
      local text = read.hover(one.result)
      if text then
        return { state = "answered", text = text, server = one.client.name }, asked
      end
    end
    if #list > before then
      names[#names + 1] = one.client.name
      if way.is_enough then
        break
      end
    end
  end
  if #list == 0 then
    return nil, asked
  end
  return { state = "answered", [way.list] = list, server = table.concat(names, ", ") }, asked
end

--- The state to report if nothing was found.
---@param asked copydesk.AskedServer[]
---@return copydesk.AnswerState
---@return boolean may_change Whether asking again may help.
local function nothing(asked)
  local state, may_change = "unsupported", false
  for _, one in ipairs(asked) do
    if not one.is_answered then
      return "cancelled", false
    elseif one.problem and server.may_ask_again(one.problem) then
      state, may_change = one.was_loading and "starting" or "cancelled", true
    elseif one.was_loading and not may_change then
      state, may_change = "starting", true
    elseif not one.problem and not may_change then
      state = "answered"
    end
  end
  return state, may_change
end

--- Waits for `limits.navigation_retry`, or until the deadline.
---@param deadline number
local function pause(deadline)
  local timer = assert(vim.uv.new_timer())
  require("copydesk.await").await(function(done)
    timer:start(math.max(1, math.ceil(math.min(limits.navigation_retry, deadline - signal.now()))), 0, function()
      done()
    end)
  end)
  timer:close()
end

---@param navigation copydesk.Navigation
---@return copydesk.NavigateResult
local function run(navigation)
  while true do
    local buffer, way = navigation.buffer, navigation.way
    if buffer and not vim.api.nvim_buf_is_loaded(buffer) then
      return { state = "cancelled" }
    end
    navigation.lines = require("copydesk.position").reader()
    navigation.uri = buffer and vim.uri_from_bufnr(buffer)
    local questions, is_starting = {}, false
    for _, client in ipairs(buffer and server.of(buffer) or server.all()) do
      is_starting = is_starting or not client.initialized
      if server.supports(client, way.method, buffer) then
        questions[#questions + 1] = question(navigation, client)
      end
    end
    local state, may_change = "unsupported", false
    if #questions > 0 then
      require("copydesk.navigate.gather").gather(questions, buffer, navigation.deadline, way.is_enough)
      if buffer and not vim.api.nvim_buf_is_loaded(buffer) then
        return { state = "cancelled" }
      end
      local result, counted = found(navigation, questions)
      if result then
        return result
      end
      state, may_change = nothing(counted)
    end
    if is_starting then
      state, may_change = "starting", true
    end
    if not may_change or signal.now() >= navigation.deadline then
      return { state = state }
    end
    pause(navigation.deadline)
  end
end

--- Handles the request. Call it in a coroutine.
---@param params copydesk.NavigateParams
---@return copydesk.NavigateResult
function M.answer(params)
  local way = WAYS[params.kind]
  local lacks_place = way and way.takes == "position" and not params.position
  local lacks_document = way and way.takes ~= "query" and not params.uri
  if not way or lacks_place or lacks_document then
    return { state = "unsupported" }
  end
  local position = require("copydesk.position")
  local navigation = {
    way = way,
    params = params,
    deadline = signal.now() + (params.wait or limits.navigation),
    to = position.encoding(),
  }
  if not params.uri then
    return run(navigation)
  end
  return require("copydesk.visit").with(params.uri, navigation.deadline, function(buffer)
    navigation.buffer = buffer
    return run(navigation)
  end)
end

return M
