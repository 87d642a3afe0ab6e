--- `:WarplensHot`, `]h` and `[h`: lists the hottest lines of a buffer and goes from one to the next.

local clients = require('warplens.clients')
local heat = require('warplens.heat')

local M = {}

--- Maximum number of lines in the list.
local MOST = 10
--- Smallest shares of a hot line. Each one applies only if no line reaches the one before it.
local LEAST_SHARES = { 0.05, 0.02, 0.005 }

local NEXT, PREVIOUS = '<Plug>(warplens-next-hot)', '<Plug>(warplens-previous-hot)'

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Notifies the user why no line of a buffer is hot.
---@param buffer integer
local function say_why_none(buffer)
  if #clients.all(buffer) == 0 then
    say('no server is attached to this buffer', vim.log.levels.WARN)
    return
  end
  local wanted = require('warplens.options').get().heat
  if not wanted then
    say('heat is switched off: see :help warplens-heat', vim.log.levels.WARN)
  elseif wanted == 'measured' then
    say('no attached profile has samples here')
  else
    say('hot lines are unknown: no profile is attached, and no times are predicted here')
  end
end

--- Returns the lines with a sign, in text order. If there are none, notifies the user and returns nil.
---@param buffer integer
---@return warplens.HeatLine[]?
local function hot_lines(buffer)
  local lines = heat.get(buffer)
  if #lines > 0 then
    return lines
  end
  say_why_none(buffer)
end

--- Returns an instruction without its address and its encoding, or the text of a source line.
---@param line string
---@return string
local function code_of(line)
  local code = line:gsub('/%*%s*%x%x%x%x+%s*%*/', ''):gsub('/%*%s*0x%x+%s*%*/', ''):gsub('%s+', ' ')
  return vim.trim(code)
end

--- Returns a row of the list: `23.4 %  FADD R0, R1, R2 ;  of the samples; most of them long_scoreboard`.
---@param own warplens.HeatLine
---@param text string
---@return string
local function row_of(own, text)
  local words = (own.words or ''):gsub('^[%d.]+ %% ', '')
  return vim.trim(('%.1f %%  %s  %s'):format(100 * own.share, code_of(text), words))
end

--- Returns the rows of the list as they are drawn. All are from one file, so its name is omitted.
---@param list { winid: integer, id: integer, start_idx: integer, end_idx: integer }
---@return string[]
local function rows(list)
  local items = vim.fn.getloclist(list.winid, { id = list.id, items = 0 }).items
  return vim.tbl_map(function(item)
    local share, rest = item.text:match('^([%d.]+ %%)  (.*)$')
    return ('%6d|%7s| %s'):format(item.lnum, share or '', rest or item.text)
  end, vim.list_slice(items, list.start_idx, list.end_idx))
end

--- Puts the hottest of these lines of a buffer into the location list of the current window, and opens it.
---@param buffer integer
---@param lines warplens.HeatLine[]
---@param source? string
local function show(buffer, lines, source)
  table.sort(lines, function(a, b)
    return a.share > b.share or a.share == b.share and a.line < b.line
  end)
  local items = {}
  for index, own in ipairs(lines) do
    local text = vim.api.nvim_buf_get_lines(buffer, own.line, own.line + 1, false)[1]
    if index <= MOST and text then
      items[#items + 1] = { bufnr = buffer, lnum = own.line + 1, col = #text:match('^%s*') + 1, text = row_of(own, text) }
    end
  end
  local title = 'Hottest lines' .. (source and ', ' .. source or '')
  vim.fn.setloclist(0, {}, ' ', { title = title, items = items, quickfixtextfunc = rows })
  vim.cmd.lopen({ count = #items })
  vim.api.nvim_set_option_value('wrap', false, { scope = 'local', win = 0 })
end

--- Lists the ten hottest lines of the whole current buffer, including those out of view.
function M.list()
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  heat.get_all(buffer, function(lines, source)
    if #lines == 0 then
      return say_why_none(buffer)
    end
    -- The answer for a large buffer may come when the user is elsewhere.
    if vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == buffer then
      vim.api.nvim_win_call(window, function()
        show(buffer, lines, source)
      end)
    end
  end)
end

--- Returns the hot lines to stop at, from 0, in text order.
---@param lines warplens.HeatLine[]
---@return integer[]
local function stops(lines)
  for _, least in ipairs(LEAST_SHARES) do
    local found = {}
    for _, own in ipairs(lines) do
      if own.share >= least then
        found[#found + 1] = own.line
      end
    end
    if #found > 0 then
      return found
    end
  end
  return {}
end

--- Goes to the `count`-th hot line below the cursor, or above it if `count` is negative. 'wrapscan' determines whether the
--- search wraps around the end of the text.
---@param count integer
function M.jump(count)
  local buffer = vim.api.nvim_get_current_buf()
  local lines = hot_lines(buffer)
  local found = lines and stops(lines) or {}
  if #found == 0 then
    return
  end
  local here = vim.api.nvim_win_get_cursor(0)[1] - 1
  -- Index of the stop at the cursor; if the cursor is between two stops, the index halfway between theirs.
  local at = 0.5
  for index, line in ipairs(found) do
    if line == here then
      at = index
    elseif line < here then
      at = index + 0.5
    end
  end
  local to = count > 0 and math.floor(at) + count or math.ceil(at) + count
  if vim.o.wrapscan then
    to = (to - 1) % #found + 1
  end
  if not found[to] then
    return say(('there is no hot line %s'):format(count > 0 and 'below' or 'above'))
  end
  vim.cmd("normal! m'")
  vim.api.nvim_win_set_cursor(0, { found[to] + 1, 0 })
  vim.cmd('normal! ^zv')
end

--- Goes to the line of the current buffer with the most samples. Does nothing if no line was measured.
---@param client vim.lsp.Client
function M.go_to_hottest(client)
  local buffer = vim.api.nvim_get_current_buf()
  if not vim.lsp.buf_is_attached(buffer, client.id) then
    return
  end
  local params = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request('warplens/heat', params, function(err, answer)
    if err or not answer or answer.isMeasured == false or vim.api.nvim_get_current_buf() ~= buffer then
      return
    end
    local hottest
    for _, own in ipairs(answer.lines) do
      if not hottest or own.share > hottest.share then
        hottest = own
      end
    end
    if hottest and hottest.line < vim.api.nvim_buf_line_count(buffer) then
      vim.cmd("normal! m'")
      vim.api.nvim_win_set_cursor(0, { hottest.line + 1, 0 })
      vim.cmd('normal! ^zv')
    end
  end, buffer)
end

--- Goes to the next hot line of the current buffer.
function M.next()
  M.jump(vim.v.count1)
end

--- Goes to the previous hot line of the current buffer.
function M.previous()
  M.jump(-vim.v.count1)
end

--- Maps `]h` and `[h` in a buffer, unless they or their `<Plug>` mappings are in use.
---@param buffer integer
function M.map(buffer)
  if not require('warplens.options').get().maps then
    return
  end
  vim.api.nvim_buf_call(buffer, function()
    for keys, plug in pairs({ [']h'] = NEXT, ['[h'] = PREVIOUS }) do
      for _, mode in ipairs({ 'n', 'x', 'o' }) do
        if vim.fn.maparg(keys, mode) == '' and vim.fn.hasmapto(plug, mode) == 0 then
          vim.keymap.set(mode, keys, plug, { buffer = buffer, remap = true, desc = vim.fn.maparg(plug, mode, false, true).desc })
        end
      end
    end
  end)
end

return M
