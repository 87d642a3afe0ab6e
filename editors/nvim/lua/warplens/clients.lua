--- Clients of the server: one for SASS and PTX, one for languages that have another server.

local M = {}

--- Names of the configurations in `lsp/`.
M.NAMES = { 'warplens', 'warplens_source' }

---@param client vim.lsp.Client
---@return boolean
function M.is_ours(client)
  return vim.list_contains(M.NAMES, client.name)
end

--- Whether the client's buffers have another server for their language.
---@param client vim.lsp.Client
---@return boolean
function M.is_beside_another(client)
  return client.name == 'warplens_source'
end

--- Returns the running clients, or those of one buffer if it is given.
---@param buffer? integer
---@return vim.lsp.Client[]
function M.all(buffer)
  return vim.tbl_filter(M.is_ours, vim.lsp.get_clients({ bufnr = buffer }))
end

--- Whether the server has dropped a request because the text or the settings changed while it worked. The request can be
--- repeated.
---@param err? lsp.ResponseError
---@return boolean
function M.is_outdated(err)
  local codes = vim.lsp.protocol.ErrorCodes
  return err ~= nil and (err.code == codes.ContentModified or err.code == codes.ServerCancelled)
end

--- Returns the message of a failed request, for the user.
---@param err lsp.ResponseError
---@return string
function M.why(err)
  if err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound then
    return 'this server does not support the command; install a newer one'
  end
  return err.message
end

return M
