--- Heat: signs in the margin that say which share of a profile's samples each line has.

local clients = require('warplens.clients')

local M = {}

local METHOD = 'warplens/heat'

--- From the hottest on: the least share of the samples, the sign, and the highlight group with a usual colour.
---@type { share: number, sign: string, group: string, usual: string }[]
local LEVELS = {
  { share = 0.20, sign = '█', group = 'WarplensHeat4', usual = 'DiagnosticError' },
  { share = 0.05, sign = '▌', group = 'WarplensHeat3', usual = 'DiagnosticWarn' },
  { share = 0.02, sign = '▎', group = 'WarplensHeat2', usual = 'DiagnosticInfo' },
  { share = 0.005, sign = '▏', group = 'WarplensHeat1', usual = 'DiagnosticHint' },
}
local STALE = 'WarplensHeatStale'

--- Below a diagnostic's sign, which is 10 at least: the number of the line keeps the colour.
local PRIORITY = 9
--- An edit rests when none has followed for so long.
local REST_MS = 300

local space = vim.api.nvim_create_namespace('warplens.heat')

---@class warplens.HeatLine
---@field line integer from 0
---@field share number 0 to 1
---@field isStale boolean

--- The last question of each buffer that is followed: only its answer counts.
---@type table<integer, integer>
local asked = {}

--- Buffers whose edits are followed.
---@type table<integer, true>
local followed = {}

--- nil for a share that is not worth a sign.
---@param share number 0 to 1
local function level_of(share)
  return vim.iter(LEVELS):find(function(level)
    return share >= level.share
  end)
end

--- The highlight group of a share of the samples; nil for one that is not worth a colour.
---@param share number 0 to 1
---@return string?
function M.group_of(share)
  local level = level_of(share)
  return level and level.group
end

---@param buffer integer
local function clear(buffer)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

---@param buffer integer
---@param lines warplens.HeatLine[]
local function place(buffer, lines)
  clear(buffer)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, own in ipairs(lines) do
    local level = level_of(own.share)
    if level and own.line < count then
      local group = own.isStale and STALE or level.group
      vim.api.nvim_buf_set_extmark(buffer, space, own.line, 0, {
        sign_text = level.sign,
        sign_hl_group = group,
        number_hl_group = group,
        priority = PRIORITY,
      })
    end
  end
end

--- Asks for the heat of a buffer and shows it, or takes it off where nobody wants it.
---@param buffer integer
function M.refresh(buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  local number = (asked[buffer] or 0) + 1
  asked[buffer] = number
  local client = clients.all(buffer)[1]
  if not client or not require('warplens.options').get().heat then
    return clear(buffer)
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request(METHOD, params, function(err, answer)
    local is_last = asked[buffer] == number and vim.api.nvim_buf_is_loaded(buffer)
    -- Signs move with the lines; those of a later text are asked for once its edits rest.
    if is_last and not err and tick == vim.api.nvim_buf_get_changedtick(buffer) then
      place(buffer, answer and answer.lines or {})
    end
  end, buffer)
end

--- Shows what has changed for a server in its buffers; one that no window shows follows when it is entered.
---@param client vim.lsp.Client
function M.refresh_all(client)
  for buffer in pairs(client.attached_buffers) do
    if #vim.fn.win_findbuf(buffer) > 0 then
      M.refresh(buffer)
    else
      clear(buffer)
    end
  end
end

--- Follows edits, those of other programs included, until no server has the buffer.
---@param buffer integer
local function follow_edits(buffer)
  if followed[buffer] then
    return
  end
  followed[buffer] = true
  local timer = assert(vim.uv.new_timer())
  local function rest()
    timer:start(REST_MS, 0, vim.schedule_wrap(function()
      M.refresh(buffer)
    end))
  end
  local function forget()
    followed[buffer], asked[buffer] = nil, nil
    if not timer:is_closing() then
      timer:close()
    end
  end
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function()
      if #clients.all(buffer) == 0 then
        forget()
        return true
      end
      rest()
    end,
    on_reload = rest,
    on_detach = forget,
  })
end

--- Shows the heat of a buffer that a server has, and keeps it up to date.
---@param buffer integer
function M.attach(buffer)
  local group = vim.api.nvim_create_augroup('warplens.heat.' .. buffer, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, {
    group = group,
    buffer = buffer,
    desc = 'Bring the signs of a profile up to date',
    callback = function()
      M.refresh(buffer)
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = buffer,
    desc = 'Take the signs of a profile off where no server is left',
    callback = function()
      -- The server that leaves is still among those of the buffer.
      vim.schedule(function()
        M.refresh(buffer)
      end)
    end,
  })
  follow_edits(buffer)
  M.refresh(buffer)
end

for _, level in ipairs(LEVELS) do
  vim.api.nvim_set_hl(0, level.group, { link = level.usual, default = true })
end
vim.api.nvim_set_hl(0, STALE, { link = 'NonText', default = true })

return M
