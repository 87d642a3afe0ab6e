--- The clients of the server: one for its own languages, one for those that other servers serve.

local M = {}

--- Names of the configurations in `lsp/`.
M.NAMES = { 'warplens', 'warplens_source' }

---@param client vim.lsp.Client
---@return boolean
function M.is_ours(client)
  return vim.list_contains(M.NAMES, client.name)
end

--- Whether another server serves the client's buffers as well.
---@param client vim.lsp.Client
---@return boolean
function M.is_beside_another(client)
  return client.name == 'warplens_source'
end

--- All that run; those of a buffer where one is given.
---@param buffer? integer
---@return vim.lsp.Client[]
function M.all(buffer)
  return vim.tbl_filter(M.is_ours, vim.lsp.get_clients({ bufnr = buffer }))
end

--- The failure in words, for the user.
---@param err lsp.ResponseError
---@return string
function M.why(err)
  if err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound then
    return 'this server cannot show profiles; install a newer one'
  end
  return err.message
end

return M
