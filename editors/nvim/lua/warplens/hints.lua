--- Refresh of inlay hints after a change of settings.
---
--- On a refresh, Neovim 0.11 marks all lines as not drawn and requests new hints. If it redraws before the answer arrives,
--- it draws the old hints and marks the lines as drawn, so the answer changes nothing on the screen. This handler therefore
--- requests the new hints first and calls Neovim's refresh after they have arrived.

local view_hints = require('warplens.view_hints')

local M = {}

local HINTS = 'textDocument/inlayHint'
local REFRESH = 'workspace/inlayHint/refresh'

---@param client vim.lsp.Client
---@param buffer integer
local function ask(client, buffer)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = {
      start = { line = 0, character = 0 },
      ['end'] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 },
    },
  }
  client:request(HINTS, params, function(err, result, context)
    vim.lsp.handlers[HINTS](err, result, context)
    vim.lsp.handlers[REFRESH](nil, nil, context)
  end, buffer)
end

---@type table<string, lsp.Handler>
M.handlers = {
  [REFRESH] = function(_, _, context)
    local client = assert(vim.lsp.get_client_by_id(context.client_id))
    for buffer in pairs(client.attached_buffers) do
      local is_shown = #vim.fn.win_findbuf(buffer) > 0
      if is_shown and vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) then
        if not view_hints.refresh(client, buffer) then
          ask(client, buffer)
        end
      end
    end
    return vim.NIL
  end,
}

return M
