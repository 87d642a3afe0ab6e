--- Heat: signs in the margin that show each line's share of the time, measured by a profile or predicted.

local clients = require('warplens.clients')
local large = require('warplens.large')

local M = {}

local METHOD = 'warplens/heat'

--- Levels of heat, hottest first: the smallest share, the sign, and the highlight groups of measured and predicted shares,
--- each with the group that it links to by default. Predicted shares have calm colours, to differ from measured ones.
---@type { share: number, sign: string, group: string, usual: string, predicted: string, calm: string }[]
local LEVELS = {
  {
    share = 0.20,
    sign = '█',
    group = 'WarplensHeat4',
    usual = 'DiagnosticError',
    predicted = 'WarplensPredictedHeat4',
    calm = 'Function',
  },
  {
    share = 0.05,
    sign = '▌',
    group = 'WarplensHeat3',
    usual = 'DiagnosticWarn',
    predicted = 'WarplensPredictedHeat3',
    calm = 'Identifier',
  },
  {
    share = 0.02,
    sign = '▎',
    group = 'WarplensHeat2',
    usual = 'DiagnosticInfo',
    predicted = 'WarplensPredictedHeat2',
    calm = 'Comment',
  },
  {
    share = 0.005,
    sign = '▏',
    group = 'WarplensHeat1',
    usual = 'DiagnosticHint',
    predicted = 'WarplensPredictedHeat1',
    calm = 'NonText',
  },
}
local STALE = 'WarplensHeatStale'
--- Value of the option `heat` that hides predicted shares.
local MEASURED = 'measured'

--- Below the priority of a diagnostic's sign, which is at least 10. The line's number keeps the colour.
local PRIORITY = 9
--- Pause after edits and scrolling, in milliseconds, before the heat is requested again.
local REST_MS = 300
--- Lines above and below a window that are requested with it.
local MARGIN = 200

--- Lines per request when all of a large buffer is requested. The server answers for at most 20,000 instructions at a time.
local MOST_LINES = 10000

local space = vim.api.nvim_create_namespace('warplens.heat')

---@class warplens.HeatLine
---@field line integer from 0
---@field share number 0 to 1
---@field isStale boolean
---@field words? string

---@class warplens.Heat
---@field source? string the profile's launch, or the model and the GPU
---@field isMeasured? boolean nil from older servers, which have only measured shares
---@field lines warplens.HeatLine[]
---@field by_mark? table<integer, warplens.HeatLine> the lines with a sign, by their extmarks

--- By buffer: the heat that is shown.
---@type table<integer, warplens.Heat>
local shown = {}

--- By buffer: the lines that were requested, if they are a part of the buffer and the answer is not measured. Measured
--- shares cover the whole buffer.
---@type table<integer, { first: integer, last: integer }?>
local covered = {}

--- By buffer: the number of the last request. Answers to other requests are dropped.
---@type table<integer, integer>
local asked = {}

--- By buffer whose edits are observed: the timer that requests the heat after a pause.
---@type table<integer, uv.uv_timer_t>
local followed = {}

--- Returns the level of a share; nil if it is too small for a sign.
---@param share number 0 to 1
local function level_of(share)
  return vim.iter(LEVELS):find(function(level)
    return share >= level.share
  end)
end

--- Returns the highlight group of a measured share; nil if it is too small for a colour.
---@param share number 0 to 1
---@return string?
function M.group_of(share)
  local level = level_of(share)
  return level and level.group
end

---@param heat warplens.Heat
---@return boolean
local function is_measured(heat)
  return heat.isMeasured ~= false
end

---@param buffer integer
local function clear(buffer)
  shown[buffer], covered[buffer] = nil, nil
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

---@param buffer integer
---@param heat warplens.Heat
local function place(buffer, heat)
  clear(buffer)
  heat.by_mark = {}
  shown[buffer] = heat
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, own in ipairs(heat.lines) do
    local level = level_of(own.share)
    if level and own.line < count then
      local group = own.isStale and STALE or is_measured(heat) and level.group or level.predicted
      local mark = vim.api.nvim_buf_set_extmark(buffer, space, own.line, 0, {
        sign_text = level.sign,
        sign_hl_group = group,
        number_hl_group = group,
        priority = PRIORITY,
      })
      heat.by_mark[mark] = own
    end
  end
end

--- Returns the lines with a sign at their present positions, in text order, and the source of their shares.
---@param buffer integer
---@return warplens.HeatLine[] lines
---@return string? source the profile's launch, or the model and the GPU
function M.get(buffer)
  local heat, lines = shown[buffer], {}
  for _, mark in ipairs(heat and vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {}) or {}) do
    local own = heat.by_mark[mark[1]]
    if own then
      lines[#lines + 1] = vim.tbl_extend('force', own, { line = mark[2] })
    end
  end
  return lines, heat and type(heat.source) == 'string' and heat.source or nil
end

--- Calls `take` with the lines of the whole buffer that get a sign, in text order, and the source of their shares. If only a
--- part of a large buffer has signs, the whole buffer is requested first, in parts.
---@param buffer integer
---@param take fun(lines: warplens.HeatLine[], source?: string)
function M.get_all(buffer, take)
  local client = covered[buffer] and clients.all(buffer)[1]
  if not client then
    return take(M.get(buffer))
  end
  local count, tick = vim.api.nvim_buf_line_count(buffer), vim.api.nvim_buf_get_changedtick(buffer)
  local wanted = require('warplens.options').get().heat
  local by_line, source = {}, nil
  local function ask(first)
    if first >= count then
      local lines = vim.tbl_values(by_line)
      table.sort(lines, function(a, b)
        return a.line < b.line
      end)
      return take(lines, source)
    end
    local last = math.min(first + MOST_LINES, count)
    local params = {
      textDocument = vim.lsp.util.make_text_document_params(buffer),
      range = { start = { line = first, character = 0 }, ['end'] = { line = last, character = 0 } },
    }
    client:request(METHOD, params, function(err, answer)
      -- After an edit, only the signs in view are known.
      if not vim.api.nvim_buf_is_loaded(buffer) then
        return
      elseif err or tick ~= vim.api.nvim_buf_get_changedtick(buffer) then
        return take(M.get(buffer))
      end
      local is_wanted = type(answer) == 'table' and (is_measured(answer) or wanted ~= MEASURED)
      for _, own in ipairs(is_wanted and answer.lines or {}) do
        if level_of(own.share) and own.line < count then
          by_line[own.line] = own
        end
      end
      if is_wanted and type(answer.source) == 'string' then
        source = source or answer.source
      end
      ask(last)
    end, buffer)
  end
  ask(0)
end

--- Returns the lines of a large buffer that a window shows, with a margin; nil for a buffer that is requested as a whole.
---@param buffer integer
---@return { first: integer, last: integer }?
local function part_of(buffer)
  local count = vim.api.nvim_buf_line_count(buffer)
  if not large.is_large(buffer) then
    return
  end
  local current = vim.api.nvim_get_current_win()
  local is_here = vim.api.nvim_win_get_buf(current) == buffer
  local window = is_here and current or vim.fn.win_findbuf(buffer)[1]
  if not window then
    return { first = 0, last = math.min(MARGIN, count) }
  end
  local first, last = vim.fn.line('w0', window) - 1, vim.fn.line('w$', window)
  return { first = math.max(first - MARGIN, 0), last = math.min(last + MARGIN, count) }
end

--- Requests the heat of a buffer and shows it. Removes it if the option is off or no server is attached.
---@param buffer integer
---@param is_repeat? boolean whether this repeats a request that the server has dropped
function M.refresh(buffer, is_repeat)
  if not vim.api.nvim_buf_is_loaded(buffer) then
    return
  end
  local number = (asked[buffer] or 0) + 1
  asked[buffer] = number
  local client = clients.all(buffer)[1]
  local wanted = require('warplens.options').get().heat
  if not client or not wanted then
    return clear(buffer)
  end
  local tick = vim.api.nvim_buf_get_changedtick(buffer)
  local part = part_of(buffer)
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = part and { start = { line = part.first, character = 0 }, ['end'] = { line = part.last, character = 0 } },
  }
  client:request(METHOD, params, function(err, answer)
    local is_last = asked[buffer] == number and vim.api.nvim_buf_is_loaded(buffer)
    -- Signs move with the lines. After an edit, the heat is requested again after the pause.
    if not is_last or tick ~= vim.api.nvim_buf_get_changedtick(buffer) then
      return
    elseif clients.is_outdated(err) and not is_repeat then
      vim.defer_fn(function()
        if asked[buffer] == number then
          M.refresh(buffer, true)
        end
      end, REST_MS)
    elseif not err then
      answer = type(answer) == 'table' and answer or nil
      local heat = answer or { lines = {} }
      local is_wanted = wanted ~= MEASURED or is_measured(heat)
      place(buffer, is_wanted and heat or { lines = {} })
      covered[buffer] = not (answer and is_measured(heat)) and part or nil
    end
  end, buffer)
end

--- Requests the heat of a buffer after the pause. Does nothing if no server is attached.
---@param buffer integer
function M.refresh_soon(buffer)
  local timer = followed[buffer]
  if timer then
    timer:start(REST_MS, 0, vim.schedule_wrap(function()
      M.refresh(buffer)
    end))
  end
end

--- Updates the heat of a client's buffers. A buffer that no window shows is cleared, and updated when it is entered.
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

--- Updates the heat after edits, including those by other programs, until no server is attached to the buffer.
---@param buffer integer
local function follow_edits(buffer)
  if followed[buffer] then
    return
  end
  local timer = assert(vim.uv.new_timer())
  followed[buffer] = timer
  local function rest()
    M.refresh_soon(buffer)
  end
  local function forget()
    followed[buffer], asked[buffer], shown[buffer], covered[buffer] = nil, nil, nil, nil
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

--- Requests the heat of the lines of a large buffer that have come into view.
---@param window integer
local function follow_window(window)
  if not vim.api.nvim_win_is_valid(window) then
    return
  end
  local buffer = vim.api.nvim_win_get_buf(window)
  local part = covered[buffer]
  if part then
    local first, last = vim.fn.line('w0', window) - 1, vim.fn.line('w$', window)
    if first < part.first or last > part.last then
      M.refresh_soon(buffer)
    end
  end
end

--- Shows the heat of a buffer and keeps it up to date.
---@param buffer integer
function M.attach(buffer)
  local group = vim.api.nvim_create_augroup('warplens.heat.' .. buffer, {})
  vim.api.nvim_create_autocmd({ 'BufEnter', 'BufWinEnter' }, {
    group = group,
    buffer = buffer,
    desc = 'Update the signs of heat',
    callback = function()
      M.refresh(buffer)
    end,
  })
  vim.api.nvim_create_autocmd('LspDetach', {
    group = group,
    buffer = buffer,
    desc = 'Remove the signs of heat if no server is left',
    callback = function()
      -- Scheduled, because the detaching client is still attached during the event.
      vim.schedule(function()
        M.refresh(buffer)
      end)
    end,
  })
  follow_edits(buffer)
  M.refresh(buffer)
end

vim.api.nvim_create_autocmd('WinScrolled', {
  group = vim.api.nvim_create_augroup('warplens.heat', {}),
  desc = 'Request the heat of the lines that came into view',
  callback = function()
    for window in pairs(vim.v.event) do
      if window ~= 'all' then
        follow_window(tonumber(window))
      end
    end
  end,
})

vim.api.nvim_create_autocmd('User', {
  group = 'warplens.heat',
  pattern = 'WarplensRefresh',
  desc = 'Request the heat again after the settings changed',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    for buffer in pairs(client and client.attached_buffers or {}) do
      M.refresh_soon(buffer)
    end
  end,
})

for _, level in ipairs(LEVELS) do
  vim.api.nvim_set_hl(0, level.group, { link = level.usual, default = true })
  vim.api.nvim_set_hl(0, level.predicted, { link = level.calm, default = true })
end
vim.api.nvim_set_hl(0, STALE, { link = 'NonText', default = true })

return M
