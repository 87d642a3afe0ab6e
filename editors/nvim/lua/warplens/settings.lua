--- Changes of the server's settings while it runs.

local clients = require('warplens.clients')

local M = {}

--- Returns the GPU that is set; empty if each file decides.
---@return string
function M.gpu()
  local client = clients.all()[1]
  local settings = client and client.settings or vim.lsp.config.warplens.settings
  return vim.tbl_get(settings, 'warplens', 'gpu') or ''
end

--- Merges `changes` (as in the `warplens` table of the settings) into the settings that new servers start with, and sends
--- them to the running ones. The server itself then requests a refresh of hints, lenses and diagnostics.
---@param changes table
function M.change(changes)
  vim.lsp.config('warplens', { settings = { warplens = changes } })
  for _, client in ipairs(clients.all()) do
    client.settings = vim.tbl_deep_extend('force', client.settings, { warplens = changes })
    client:notify('workspace/didChangeConfiguration', { settings = client.settings })
  end
end

return M
