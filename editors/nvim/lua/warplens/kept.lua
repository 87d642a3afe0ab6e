--- Answers about a whole buffer, asked for again once its text has rested.

local M = {}

---@class warplens.Kept
---@field client integer
---@field buffer integer
---@field method string
---@field rest_ms integer how long typing has to rest
---@field take fun(answer: any) takes the answer to the newest request
---@field turn integer number of the newest request: older answers are dropped
---@field timer uv.uv_timer_t
---@field group integer of autocommands
---@field is_over boolean
local Kept = {}
Kept.__index = Kept

--- Asks now.
function Kept:ask()
  local client = vim.lsp.get_client_by_id(self.client)
  if self.is_over or not client or not vim.api.nvim_buf_is_loaded(self.buffer) then
    return
  end
  self.turn = self.turn + 1
  local turn = self.turn
  local params = { textDocument = vim.lsp.util.make_text_document_params(self.buffer) }
  client:request(self.method, params, function(err, answer, context)
    local is_newest = not self.is_over and self.turn == turn
    -- After an edit there is a newer request to come.
    local is_current = context.version == vim.lsp.util.buf_versions[self.buffer]
    if not err and is_newest and is_current and vim.api.nvim_buf_is_loaded(self.buffer) then
      self.take(answer or {})
    end
  end, self.buffer)
end

--- Asks once the text has rested.
function Kept:ask_soon()
  self.timer:start(self.rest_ms, 0, vim.schedule_wrap(function()
    self:ask()
  end))
end

--- Asks no more.
function Kept:stop()
  if not self.is_over then
    self.is_over = true
    pcall(vim.api.nvim_del_augroup_by_id, self.group)
    self.timer:stop()
    self.timer:close()
  end
end

--- Keeps an answer up to date from now on, but asks for none yet. `forget` runs once the client leaves the buffer.
---@param client vim.lsp.Client
---@param buffer integer
---@param what { name: string, method: string, rest_ms: integer, take: fun(answer: any), forget: fun() }
---@return warplens.Kept
function M.keep(client, buffer, what)
  local own = setmetatable({
    client = client.id,
    buffer = buffer,
    method = what.method,
    rest_ms = what.rest_ms,
    take = what.take,
    turn = 0,
    timer = assert(vim.uv.new_timer()),
    group = vim.api.nvim_create_augroup(('warplens.%s.%d'):format(what.name, buffer), {}),
    is_over = false,
  }, Kept)
  vim.api.nvim_create_autocmd('LspNotify', {
    group = own.group,
    buffer = buffer,
    desc = ('Bring the %s up to date'):format(what.name),
    callback = function(event)
      if event.data.client_id == client.id and event.data.method == 'textDocument/didChange' then
        own:ask_soon()
      end
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = own.group,
    buffer = buffer,
    desc = ('Forget the %s'):format(what.name),
    -- Not within an autocommand of the group.
    callback = vim.schedule_wrap(function(event)
      if not own.is_over and event.data.client_id == client.id then
        what.forget()
      end
    end),
  })
  return own
end

return M
