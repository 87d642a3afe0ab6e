--- Encodings of a listing are dimmed, hidden together with lines that contain nothing else, and shown again.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'

--- The messages that were shown.
local said = {}
vim.notify = function(text)
  said[#said + 1] = text
end

vim.o.columns, vim.o.lines = 160, 40

--- The text of a row of the screen, counted from 1.
local function row(number)
  vim.cmd.redraw()
  local cells = {}
  for column = 1, vim.o.columns do
    cells[column] = vim.fn.screenstring(number, column)
  end
  return (table.concat(cells):gsub('%s+$', ''))
end

--- All rows of the screen in the first window.
local function rows()
  local all = {}
  for number = 1, vim.o.lines - 2 do
    all[number] = row(number)
  end
  return table.concat(all, '\n')
end

--- The attributes of the cell in which a text of a line, counted from 0, starts.
local function look_of(line, text)
  local byte = vim.api.nvim_buf_get_lines(0, line, line + 1, true)[1]:find(text, 1, true)
  vim.cmd.redraw()
  local at = vim.fn.screenpos(0, line + 1, byte)
  return vim.fn.screenattr(at.row, at.col)
end

local function open()
  vim.g.warplens = { inlay_hints = false, code_lens = false, heat = false }
  local buffer = t.edit(LISTING)
  vim.cmd('normal! gg')
  return buffer
end

t.case('only dimmed encodings look different from the text around them', function()
  local buffer = open()
  local line = t.find(buffer, '/* 0x')
  vim.cmd.WarplensEncodings('shown')
  local shown = look_of(line, '/* 0x')
  vim.cmd.WarplensEncodings('dimmed')
  local dimmed = look_of(line, '/* 0x')
  assert(shown ~= dimmed, 'the same look')
  vim.cmd.WarplensEncodings('shown')
  t.equal(shown, look_of(line, '/* 0x'), 'as before')
end)

t.case('hidden encodings take no room, and lines that contain nothing else are not drawn', function()
  local buffer = open()
  local whole = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  vim.wo.conceallevel, vim.wo.concealcursor = 1, 'v'
  vim.cmd.WarplensEncodings('hidden')
  local text = rows()
  assert(not text:find('/* 0x', 1, true), text)
  -- Each line that contains something else has one row.
  local expected = {}
  for _, line in ipairs(whole) do
    if not line:find('^%s*/%* 0x%x+ %*/%s*$') then
      expected[#expected + 1] = (line:gsub('%s*/%* 0x%x+ %*/%s*$', ''):gsub('%s+$', ''):gsub('\t', '        '))
    end
  end
  for number = 10, 30 do
    t.equal(expected[number], row(number), 'row ' .. number)
  end
  t.equal(whole, vim.api.nvim_buf_get_lines(buffer, 0, -1, true), 'the text')
  -- The cursor moves from one drawn line to the next.
  local first = t.find(buffer, '/*0020*/')
  vim.api.nvim_win_set_cursor(0, { first + 1, 30 })
  for _, step in ipairs({ { 'j', '/*0030*/' }, { 'j', '/*0040*/' }, { 'k', '/*0030*/' }, { 'vk', '/*0020*/' } }) do
    vim.api.nvim_feedkeys(step[1], 'xt', false)
    vim.cmd('doautocmd <nomodeline> CursorMoved')
    assert(vim.api.nvim_get_current_line():find(step[2], 1, true), step[2] .. ': ' .. vim.api.nvim_get_current_line())
    t.equal(30, t.place()[2], 'the column')
  end
  vim.cmd('normal! \27')
  vim.cmd('normal! G')
  text = rows()
  assert(not text:find('/* 0x', 1, true), text)
  vim.cmd('normal! gg')
  vim.cmd.WarplensEncodings('dimmed')
  assert(rows():find('/* 0x', 1, true), 'they are back')
  t.equal({ 1, 'v' }, { vim.wo.conceallevel, vim.wo.concealcursor }, 'options of the window')
end)

t.case('a hidden line is drawn once other text is typed into it', function()
  local buffer = open()
  vim.cmd.WarplensEncodings('hidden')
  local line = t.find(buffer, '/*0020*/') + 1
  assert(not rows():find('EXIT_HERE', 1, true), 'not yet')
  local old = vim.api.nvim_buf_get_lines(buffer, line, line + 1, true)
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { '        EXIT_HERE ;' })
  assert(rows():find('EXIT_HERE', 1, true), rows())
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, old)
  assert(not rows():find('/* 0x', 1, true), rows())
  vim.bo[buffer].modified = false
  vim.cmd.WarplensEncodings('dimmed')
end)

t.case('windows that show other buffers keep their options', function()
  local buffer = open()
  vim.wo.conceallevel = 1
  vim.go.conceallevel = 0
  vim.cmd.WarplensEncodings('hidden')
  t.equal(2, vim.wo.conceallevel, 'in the listing')
  vim.cmd.split()
  t.equal(2, vim.wo.conceallevel, 'in another window of it')
  vim.cmd.enew()
  t.equal(0, vim.wo.conceallevel, 'in an empty buffer')
  vim.cmd.buffer(buffer)
  t.equal(2, vim.wo.conceallevel, 'back in the listing')
  vim.cmd.WarplensEncodings('shown')
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    t.equal(1, vim.wo[window].conceallevel, 'as it was')
  end
  vim.cmd.only()
end)

t.case('without an argument the command switches to the next state, and a wrong argument is refused', function()
  open()
  vim.cmd.WarplensEncodings('shown')
  local states = {}
  for index = 1, 3 do
    vim.cmd.WarplensEncodings()
    states[index] = require('warplens.encodings').state()
  end
  t.equal({ 'dimmed', 'hidden', 'shown' }, states, 'states')
  vim.cmd.WarplensEncodings('gone')
  t.equal({ 'warplens: encodings can be shown, dimmed or hidden, not "gone"' }, said, 'messages')
  t.equal('shown', require('warplens.encodings').state(), 'the state')
  t.equal({ 'hidden' }, vim.fn.getcompletion('WarplensEncodings h', 'cmdline'), 'completion')
end)

t.finish()
