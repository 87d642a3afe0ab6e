--- The server's settings, changed while it runs.

local clients = require('warplens.clients')

local M = {}

--- The GPU that was asked for; empty where each file decides.
---@return string
function M.gpu()
  local client = clients.all()[1]
  local settings = client and client.settings or vim.lsp.config.warplens.settings
  return vim.tbl_get(settings, 'warplens', 'gpu') or ''
end

--- Merges `changes` (as in the `warplens` table of the settings) into what new servers start with, and tells the
--- running ones. The server asks for hints, lenses and diagnostics anew by itself.
---@param changes table
function M.change(changes)
  vim.lsp.config('warplens', { settings = { warplens = changes } })
  for _, client in ipairs(clients.all()) do
    client.settings = vim.tbl_deep_extend('force', client.settings, { warplens = changes })
    client:notify('workspace/didChangeConfiguration', { settings = client.settings })
  end
end

return M
