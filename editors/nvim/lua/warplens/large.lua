--- Large buffers. Neovim requests the hints and colours of a whole buffer at each edit, and blocks for a second or more if
--- it has some 100,000 lines. These requests are intercepted here, and only the lines in view are requested instead.

local M = {}

local HINTS = 'textDocument/inlayHint'
local TOKENS = 'textDocument/semanticTokens/full'
local TOKENS_OF_RANGE = 'textDocument/semanticTokens/range'
--- Number of lines from which a buffer is large. Neovim takes about 20 ms for the hints of this number of lines.
local MANY_LINES = 5000

--- Clients whose requests are intercepted.
---@type table<integer, true>
local followed = {}

--- By client: buffers whose colours have been requested as a whole. Neovim no longer requests ranges for these.
---@type table<integer, table<integer, true>>
local coloured = vim.defaulttable(function()
  return {}
end)

---@param buffer integer
---@return boolean
function M.is_large(buffer)
  return vim.api.nvim_buf_line_count(buffer) >= MANY_LINES
end

--- Whether a request for all colours of a buffer is dropped, because Neovim also requests those of ranges. If it is not
--- dropped, this is recorded.
---@param client vim.lsp.Client
---@param buffer integer
---@return boolean
local function are_colours_of_range(client, buffer)
  -- Neovim 0.11 does not request ranges.
  local has_ranges = vim.fn.has('nvim-0.12') == 1 and client:supports_method(TOKENS_OF_RANGE, buffer)
  if has_ranges and not coloured[client.id][buffer] and M.is_large(buffer) then
    return true
  end
  coloured[client.id][buffer] = true
  return false
end

--- Intercepts Neovim's own requests to a client about a whole large buffer.
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
        -- A caller that passes a handler for hints needs the answer.
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
  desc = 'Forget what was requested for a buffer',
  callback = function(event)
    for _, buffers in pairs(coloured) do
      buffers[event.buf] = nil
    end
  end,
})

return M
