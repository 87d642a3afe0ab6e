--- The last status that each server has reported, for `:checkhealth warplens`.

local M = {}

---@class warplens.Status
---@field health 'ok'|'warning'|'error'
---@field quiescent boolean
---@field message string
---@field note? string what would give better figures; nothing fails without it

--- By client id.
---@type table<integer, warplens.Status>
local reported = {}

---@param client vim.lsp.Client
---@return warplens.Status?
function M.of(client)
  return reported[client.id]
end

---@type table<string, lsp.Handler>
M.handlers = {
  ['experimental/serverStatus'] = function(_, status, context)
    reported[context.client_id] = status
  end,
}

return M
