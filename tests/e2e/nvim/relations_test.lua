--- The producers and consumers of the instruction at the cursor, and the lives of its registers, are drawn as the cursor
--- moves.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
local PTX = 'tests/corpus/ptx/transpose.ptx'

vim.o.columns, vim.o.lines = 160, 60

--- The texts at the ends of lines, by line, counted from 0.
---@return table<integer, string>
local function texts(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.relations']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    t.equal('eol', mark[4].virt_text_pos, 'the place')
    found[mark[2]] = (found[mark[2]] or '') .. mark[4].virt_text[1][1]
  end
  return found
end

local function wait_for_texts(buffer, is_right)
  return t.wait('texts at the ends of lines', function()
    local now = texts(buffer)
    return next(now) and (not is_right or is_right(now)) and now
  end)
end

--- Moves the cursor, and triggers the event that a key would trigger.
local function go(line, byte)
  vim.api.nvim_win_set_cursor(0, { line + 1, byte or 0 })
  vim.cmd('doautocmd <nomodeline> CursorMoved')
end

--- The text of the first cells of a line on the screen.
local function start_of(line, cells)
  vim.cmd.redraw()
  local at = vim.fn.screenpos(0, line + 1, 1)
  local shown = {}
  local before = vim.fn.getwininfo(vim.api.nvim_get_current_win())[1].textoff
  for cell = 1, cells do
    shown[cell] = vim.fn.screenstring(at.row, before + cell)
  end
  return table.concat(shown)
end

t.case('nothing is drawn unless it is switched on', function()
  local buffer = t.open(LISTING)
  go(t.find(buffer, 'LDG.E'))
  vim.wait(400)
  t.equal({}, texts(buffer), 'texts')
end)

t.case('producers and consumers are marked, and lives have bars over blanks', function()
  local buffer = t.open(LISTING)
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  local load = t.find(buffer, 'LDG.E')
  go(load)
  vim.cmd('normal! zt')
  vim.cmd.WarplensRelations()
  local found = wait_for_texts(buffer)
  local register = lines[load + 1]:match('LDG%.E%S* (R%d+)')
  local reader, writer
  for line, text in pairs(found) do
    if text == '▼ reads ' .. register then
      reader = line
      assert(lines[line + 1]:find(register .. '[^%d]'), lines[line + 1])
    elseif vim.startswith(text, '▲ writes ') then
      writer = line
    else
      error('what is ' .. text)
    end
  end
  assert(reader and writer, vim.inspect(found))
  -- The first bar is that of the shortest life.
  t.equal('╭', start_of(load, 1), 'where the register is written')
  t.equal('│', start_of(load + 2, 1), 'while it lives')
  t.equal('╰', start_of(reader, 1), 'where it is read last')
  t.equal(' ', start_of(reader + 1, 1), 'after that')
  t.equal(lines, vim.api.nvim_buf_get_lines(buffer, 0, -1, true), 'the text')
end)

t.case('marks follow the cursor, and disappear if there is no instruction', function()
  local buffer = t.open(LISTING)
  local before = wait_for_texts(buffer)
  go(t.find(buffer, '/*00a0*/'))
  wait_for_texts(buffer, function(now)
    return not vim.deep_equal(now, before)
  end)
  go(0)
  t.wait('nothing', function()
    return not next(texts(buffer))
  end)
end)

t.case('PTX has marks, too', function()
  local buffer = t.open(PTX)
  local line = t.find(buffer, 'mul.wide.u32')
  go(line)
  local found = wait_for_texts(buffer)
  assert(vim.iter(vim.tbl_values(found)):any(function(text)
    return text:find('%%r')
  end), vim.inspect(found))
end)

t.case('the same command removes the marks', function()
  vim.cmd.WarplensRelations()
  local buffer = vim.api.nvim_get_current_buf()
  t.equal({}, texts(buffer), 'texts')
  go(t.find(buffer, 'mul.wide.u32'))
  vim.wait(300)
  t.equal({}, texts(buffer), 'texts, once the cursor has moved')
end)

t.finish()
