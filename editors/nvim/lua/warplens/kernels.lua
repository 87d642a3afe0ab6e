--- Kernels and their instructions in buffers, found through the server's document symbols.

local clients = require('warplens.clients')

local M = {}

local SYMBOLS = 'textDocument/documentSymbol'

--- Calls `done` with the kernels of a buffer, in text order; with an empty list if its server has no symbols.
---@param buffer integer
---@param done fun(symbols: lsp.DocumentSymbol[])
function M.of(buffer, done)
  local client = vim.iter(clients.all(buffer)):find(function(client)
    return client:supports_method(SYMBOLS, buffer)
  end)
  if not client then
    return done({})
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request(SYMBOLS, params, function(err, symbols)
    done(vim.tbl_filter(function(symbol)
      return symbol.kind == vim.lsp.protocol.SymbolKind.Function
    end, not err and symbols or {}))
  end, buffer)
end

--- Calls `done` with the name of the kernel at the cursor of the current buffer; with nil if the server knows no kernel there.
---@param client vim.lsp.Client
---@param done fun(kernel?: string)
function M.at_cursor(client, done)
  local buffer = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  M.of(buffer, function(symbols)
    local own = vim.iter(symbols):find(function(symbol)
      return symbol.range.start.line <= line and line <= symbol.range['end'].line
    end)
    if own or #symbols > 0 or not vim.lsp.buf_is_attached(buffer, client.id) then
      return done(own and own.name)
    end
    -- The symbols of a source come from another server.
    local params = {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      position = { line = line, character = 0 },
    }
    client:request('warplens/kernelSummary', params, function(err, summary)
      done(not err and summary and vim.tbl_get(summary, 'launches', 1, 'name') or nil)
    end, buffer)
  end)
end

--- Returns the words of a kernel's name, sorted: profilers and demanglers write types differently.
---@param name string
---@return string
local function words_of(name)
  local words = vim.iter(name:gmatch('[%w_]+')):totable()
  table.sort(words)
  return table.concat(words, ' ')
end

--- Returns the bare name of a function: `scale` for `void ns::scale<4>(float *)`.
---@param name string
---@return string
local function bare(name)
  return name:match('^[^<(]*'):match('([%w_]+)%s*$') or name
end

--- Returns the kernel for a name from a profiler or the server, mangled or not. If no kernel has all words of the name,
--- returns the first with the same bare name; nil if there is no such kernel.
---@param symbols lsp.DocumentSymbol[]
---@param name string
---@return lsp.DocumentSymbol?
function M.named(symbols, name)
  local function find(form)
    return vim.iter(symbols):find(function(symbol)
      return form(symbol.name) == form(name)
    end)
  end
  local function is_mangled(symbol)
    -- In a mangled name, each identifier follows its length.
    local own = bare(symbol.name)
    return vim.startswith(name, '_Z') and name:find(#own .. own, 1, true) ~= nil
  end
  return find(vim.trim) or find(words_of) or find(bare) or vim.iter(symbols):find(is_mangled)
end

--- An instruction of a listing.
---@class warplens.Listed
---@field line integer from 0
---@field text string

--- Returns the instructions of a kernel in a listing, by their distance from the first one in bytes, as in profiles.
---@param buffer integer
---@param symbol lsp.DocumentSymbol
---@return table<integer, warplens.Listed>
function M.instructions(buffer, symbol)
  local from, to = symbol.range.start.line, symbol.range['end'].line + 1
  local found, first = {}, nil
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, from, to, false)) do
    local address, text = line:match('/%*(%x%x%x%x+)%*/%s*([^;]*)')
    local own = address and tonumber(address, 16)
    if own then
      first = first or own
      found[own - first] = { line = from + index - 1, text = vim.trim(text) }
    end
  end
  return found
end

return M
