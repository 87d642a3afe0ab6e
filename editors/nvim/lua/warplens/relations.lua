--- `:WarplensRelations`: the instructions that write what the instruction at the cursor reads, those that read what it
--- writes, and the live ranges of its registers. They are drawn over blanks and after the ends of lines, so no text moves.

local clients = require('warplens.clients')

local M = {}

local METHOD = 'warplens/relations'
local REST_MS = 100
--- Maximum number of bars, one for each register. The registers with the longest live ranges have none.
local MOST_BARS = 6

local space = vim.api.nvim_create_namespace('warplens.relations')

---@class warplens.Relative
---@field line integer from 0
---@field words string registers

---@class warplens.Life
---@field name string
---@field from integer line, from 0
---@field to integer line, from 0, included

---@class warplens.Relations
---@field line integer from 0
---@field producers warplens.Relative[]
---@field consumers warplens.Relative[]
---@field registers warplens.Life[]

--- The state that the command has set. Nil until it is used; the option applies until then.
---@type boolean?
local chosen

--- The buffer in which relations are drawn, and the live ranges that have bars.
---@type { buffer: integer, lives: warplens.Life[] }?
local shown

--- Number of the newest request. Answers to other requests are dropped.
local asked = 0

local timer = assert(vim.uv.new_timer())

---@return boolean
function M.is_on()
  if chosen ~= nil then
    return chosen
  end
  return require('warplens.options').get().relations == true
end

local function clear()
  asked = asked + 1
  timer:stop()
  local before = shown
  shown = nil
  if before and vim.api.nvim_buf_is_valid(before.buffer) then
    vim.api.nvim_buf_clear_namespace(before.buffer, space, 0, -1)
    -- The bars are ephemeral marks, which a redraw removes.
    vim.api.nvim__redraw({ buf = before.buffer, valid = false })
  end
end

---@param buffer integer
---@param relatives warplens.Relative[]
---@param words string
---@param group string
local function mark(buffer, relatives, words, group)
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, relative in ipairs(relatives) do
    if relative.line < count then
      vim.api.nvim_buf_set_extmark(buffer, space, relative.line, 0, {
        virt_text = { { ('%s %s'):format(words, relative.words), group } },
        virt_text_pos = 'eol',
      })
    end
  end
end

---@param buffer integer
---@param relations warplens.Relations
local function draw(buffer, relations)
  clear()
  local lives = vim.list_slice(relations.registers)
  table.sort(lives, function(a, b)
    return a.to - a.from < b.to - b.from or a.to - a.from == b.to - b.from and a.from < b.from
  end)
  shown = { buffer = buffer, lives = vim.list_slice(lives, 1, MOST_BARS) }
  mark(buffer, relations.producers, '▲ writes', 'WarplensProducer')
  mark(buffer, relations.consumers, '▼ reads', 'WarplensConsumer')
  vim.api.nvim__redraw({ buf = buffer, valid = false })
end

--- Returns the bars of a line, each in its column; empty if none of the registers is live there.
---@param line integer from 0
---@return string
local function bars_at(line)
  local bars = {}
  for column, life in ipairs(shown and shown.lives or {}) do
    local is_inside = life.from <= line and line <= life.to
    bars[column] = not is_inside and ' ' or line == life.from and '╭' or line == life.to and '╰' or '│'
  end
  return (table.concat(bars):gsub('%s+$', ''))
end

vim.api.nvim_set_decoration_provider(space, {
  on_win = function(_, _, buffer)
    return shown ~= nil and shown.buffer == buffer and #shown.lives > 0
  end,
  on_line = function(_, _, buffer, line)
    local bars = bars_at(line)
    if bars == '' then
      return
    end
    -- Bars cover only blanks, so that the text stays readable.
    local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, false)[1] or ''
    local room = text:find('%S') and vim.fn.strdisplaywidth(text:match('^%s*')) or MOST_BARS
    bars = vim.fn.strcharpart(bars, 0, room)
    if bars ~= '' then
      vim.api.nvim_buf_set_extmark(buffer, space, line, 0, {
        virt_text = { { bars, 'WarplensLife' } },
        virt_text_pos = 'overlay',
        ephemeral = true,
      })
    end
  end,
})

--- Requests the relations of the instruction at the cursor and draws them.
function M.refresh()
  local buffer = vim.api.nvim_get_current_buf()
  local client = clients.all(buffer)[1]
  if not M.is_on() or not client then
    return clear()
  end
  asked = asked + 1
  local number = asked
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    position = vim.lsp.util.make_position_params(0, client.offset_encoding).position,
  }
  client:request(METHOD, params, function(err, relations, context)
    local is_current = asked == number and context.version == vim.lsp.util.buf_versions[buffer]
    if not is_current or vim.api.nvim_get_current_buf() ~= buffer then
      return
    end
    if err or type(relations) ~= 'table' then
      clear()
    else
      draw(buffer, relations)
    end
  end, buffer)
end

local function refresh_soon()
  timer:start(REST_MS, 0, vim.schedule_wrap(M.refresh))
end

--- Switches relations on or off.
---@param is_wanted? boolean nil for the other state
function M.set(is_wanted)
  if is_wanted == nil then
    is_wanted = not M.is_on()
  end
  chosen = is_wanted
  M.refresh()
  vim.api.nvim_echo({ { 'relations: ' .. (is_wanted and 'shown' or 'not shown') } }, false, {})
end

--- Updates the relations when the cursor moves in a buffer.
---@param buffer integer
function M.attach(buffer)
  local group = vim.api.nvim_create_augroup('warplens.relations.' .. buffer, {})
  vim.api.nvim_create_autocmd({ 'CursorMoved', 'TextChanged', 'BufEnter' }, {
    group = group,
    buffer = buffer,
    desc = 'Show what the instruction at the cursor reads and writes',
    callback = function()
      if M.is_on() then
        refresh_soon()
      end
    end,
  })
  vim.api.nvim_create_autocmd({ 'InsertEnter', 'BufLeave', 'LspDetach' }, {
    group = group,
    buffer = buffer,
    desc = 'Remove the relations of an instruction',
    callback = function()
      if shown then
        clear()
      end
    end,
  })
  if M.is_on() and buffer == vim.api.nvim_get_current_buf() then
    refresh_soon()
  end
end

for group, usual in pairs({
  WarplensProducer = 'DiagnosticInfo',
  WarplensConsumer = 'DiagnosticOk',
  WarplensLife = 'Special',
}) do
  vim.api.nvim_set_hl(0, group, { link = usual, default = true })
end

return M
