--- Requests about a whole buffer, repeated after a pause in typing.

local clients = require('warplens.clients')

local M = {}

---@class warplens.Kept
---@field client integer
---@field buffer integer
---@field method string
---@field rest_ms integer pause in typing before a request
---@field take fun(answer: any) takes the answer to the newest request
---@field turn integer number of the newest request: older answers are dropped
---@field timer uv.uv_timer_t
---@field group integer the autocommand group
---@field is_over boolean
local Kept = {}
Kept.__index = Kept

--- Sends the request now. Does nothing after `stop`, or if the client or the buffer is gone.
---@param is_repeat? boolean whether this repeats a request that the server has dropped
function Kept:ask(is_repeat)
  local client = vim.lsp.get_client_by_id(self.client)
  if self.is_over or not client or not vim.api.nvim_buf_is_loaded(self.buffer) then
    return
  end
  self.turn = self.turn + 1
  local turn = self.turn
  local params = { textDocument = vim.lsp.util.make_text_document_params(self.buffer) }
  client:request(self.method, params, function(err, answer, context)
    local is_newest = not self.is_over and self.turn == turn
    -- After an edit, a newer request follows.
    local is_current = context.version == vim.lsp.util.buf_versions[self.buffer]
    if not is_newest or not is_current or not vim.api.nvim_buf_is_loaded(self.buffer) then
      return
    elseif not err then
      self.take(answer or {})
    elseif clients.is_outdated(err) and not is_repeat then
      vim.defer_fn(function()
        if self.turn == turn then
          self:ask(true)
        end
      end, self.rest_ms)
    end
  end, self.buffer)
end

--- Sends the request after the pause, which starts again at each call.
function Kept:ask_soon()
  self.timer:start(self.rest_ms, 0, vim.schedule_wrap(function()
    self:ask()
  end))
end

--- Stops the requests. Answers that are still to come are dropped.
function Kept:stop()
  if not self.is_over then
    self.is_over = true
    pcall(vim.api.nvim_del_augroup_by_id, self.group)
    self.timer:stop()
    self.timer:close()
  end
end

--- Repeats a request whenever the buffer changes; the caller sends the first one. `forget` is called when the client
--- detaches from the buffer.
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
    desc = ('Update the %s'):format(what.name),
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
    -- Scheduled, because `forget` deletes the group, which no autocommand of the group may do.
    callback = vim.schedule_wrap(function(event)
      if not own.is_over and event.data.client_id == client.id then
        what.forget()
      end
    end),
  })
  return own
end

return M
