--- Large buffers: Neovim asks for hints and colours of all of a buffer at each edit, and stops for a second or more where that
--- has some 100,000 lines. Those questions end here; what windows show is asked about instead.

local M = {}

local HINTS = 'textDocument/inlayHint'
local TOKENS = 'textDocument/semanticTokens/full'
local TOKENS_OF_RANGE = 'textDocument/semanticTokens/range'
--- From so many lines on a buffer is large: Neovim takes some 20 ms for the hints of as many.
local MANY_LINES = 5000

--- Clients whose requests are looked at.
---@type table<integer, true>
local followed = {}

--- Buffers of which a client has been asked for all colours: Neovim asks for those of ranges no more.
---@type table<integer, table<integer, true>>
local coloured = vim.defaulttable(function()
  return {}
end)

---@param buffer integer
---@return boolean
function M.is_large(buffer)
  return vim.api.nvim_buf_line_count(buffer) >= MANY_LINES
end

--- Whether a question about all colours of a buffer is to go no further.
---@param client vim.lsp.Client
---@param buffer integer
---@return boolean
local function are_colours_of_range(client, buffer)
  -- Neovim 0.11 knows no ranges.
  local has_ranges = vim.fn.has('nvim-0.12') == 1 and client:supports_method(TOKENS_OF_RANGE, buffer)
  if has_ranges and not coloured[client.id][buffer] and M.is_large(buffer) then
    return true
  end
  coloured[client.id][buffer] = true
  return false
end

--- Takes Neovim's own questions about all of a large buffer off a client.
---@param client vim.lsp.Client
function M.follow(client)
  if followed[client.id] then
    return
  end
  followed[client.id] = true
  local request = client.request
  client.request = function(self, method, params, handler, buffer, ...)
    if self == client and (method == HINTS or method == TOKENS) then
      local own = (buffer == nil or buffer == 0) and vim.api.nvim_get_current_buf() or buffer
      if vim.api.nvim_buf_is_loaded(own) then
        -- Whoever brings a handler for hints wants the answer.
        if method == HINTS and not handler and require('warplens.view_hints').refresh(client, own) then
          return true
        elseif method == TOKENS and are_colours_of_range(client, own) then
          return false
        end
      end
    end
    return request(self, method, params, handler, buffer, ...)
  end
end

vim.api.nvim_create_autocmd({ 'LspDetach', 'BufUnload' }, {
  group = vim.api.nvim_create_augroup('warplens.large', {}),
  desc = 'Forget what was asked about a buffer',
  callback = function(event)
    for _, buffers in pairs(coloured) do
      buffers[event.buf] = nil
    end
  end,
})

return M
