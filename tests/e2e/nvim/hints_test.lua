--- In an open listing every instruction has a hint, and hints follow edits.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

--- The labels of Neovim's hints, by line, counted from 0.
local function shown(buffer)
  local labels = {}
  for _, entry in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local hint = entry.inlay_hint
    local label = type(hint.label) == 'table' and vim.iter(hint.label):map(function(part)
      return part.value
    end):join('') or hint.label
    labels[hint.position.line] = (labels[hint.position.line] or '') .. label
  end
  return labels
end

--- Waits until each of these lines has a hint that contains a number.
local function wait_for_hints(buffer, lines)
  t.wait('a hint at each of ' .. #lines .. ' instructions', function()
    local labels = shown(buffer)
    return vim.iter(lines):all(function(line)
      return labels[line] and labels[line]:find('%d')
    end)
  end)
end

local LISTINGS = {
  'tests/corpus/sm_35/sgemm.cuobjdump-sass.txt',
  'tests/corpus/sm_61/sgemm.nvdisasm-hex-c.txt',
  'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt',
}

for _, file in ipairs(LISTINGS) do
  t.case('client and hints of ' .. file, function()
    local buffer = t.open(file)
    t.equal('nvsass', vim.bo[buffer].filetype, 'filetype')
    assert(vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), 'hints are on without being asked for')
    local instructions = t.instructions(buffer)
    wait_for_hints(buffer, instructions)
    local labels, without = shown(buffer), {}
    for _, line in ipairs(instructions) do
      without[line] = true
    end
    for line in pairs(labels) do
      assert(without[line], ('a hint in line %d, which holds no instruction'):format(line + 1))
    end
  end)
end

t.case('one server for all files of a folder', function()
  t.equal(1, #vim.lsp.get_clients({ name = 'warplens' }), 'clients')
end)

t.case('tooltips name the GPU, region, model and source of a number', function()
  local buffer, client = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local first = t.instructions(buffer)[1]
  local all = ''
  for _, hint in ipairs(t.ask(client, buffer, 'textDocument/inlayHint', { range = t.everything(buffer) })) do
    if hint.position.line == first then
      local text = t.tooltip(client, buffer, hint)
      assert(text:find('GPU: H[12]00'), text)
      all = all .. text
    end
  end
  for _, part in ipairs({ 'Model: pipeline', '0x0000 to 0x00b0', 'Source: %w' }) do
    assert(all:find(part), ('no "%s" in: %s'):format(part, all))
  end
end)

t.case('a typed instruction gets hints', function()
  local buffer = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local before = t.instructions(buffer)
  local line = t.find(buffer, '/*00a0*/')
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  vim.api.nvim_feedkeys('yyp', 'xt', false)
  t.equal(#before + 1, #t.instructions(buffer), 'instructions')
  wait_for_hints(buffer, t.instructions(buffer))
  vim.api.nvim_feedkeys('dd', 'xt', false)
  wait_for_hints(buffer, before)
end)

--- Opens a listing that is so long that its hints are requested in parts.
local function open_large()
  local lines = vim.fn.readfile(t.path('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'))
  local start = vim.iter(ipairs(lines)):find(function(_, line)
    return line:find('Function :', 1, true)
  end)
  local all = vim.list_slice(lines, 1, start - 1)
  for number = 1, 8 do
    for line = start, #lines do
      all[#all + 1] = (lines[line]:gsub('sgemm16', 'sgemm16_' .. number))
    end
  end
  local name = vim.fn.tempname() .. '.nvsass'
  vim.fn.writefile(all, name)
  vim.cmd.edit(name)
  return vim.api.nvim_get_current_buf()
end

--- The visible lines that contain an instruction, counted from 0.
local function in_view(buffer)
  vim.cmd.redraw()
  local first, last = vim.fn.line('w0') - 1, vim.fn.line('w$') - 1
  return vim.tbl_filter(function(line)
    return first <= line and line <= last
  end, t.instructions(buffer))
end

local function wait_for_drawn(buffer)
  t.wait('a hint at each visible instruction', function()
    local drawn = require('warplens.view_hints').get(buffer)
    return vim.iter(in_view(buffer)):all(function(line)
      return drawn[line] and drawn[line]:find('%d')
    end)
  end)
  return require('warplens.view_hints').get(buffer)
end

t.case('in a large listing, hints are requested for the visible lines, also after scrolling', function()
  local buffer = open_large()
  assert(vim.api.nvim_buf_line_count(buffer) > 7000, 'a large one')
  local drawn = wait_for_drawn(buffer)
  assert(vim.tbl_count(drawn) < 400, 'no more than around the view: ' .. vim.tbl_count(drawn))
  t.equal({}, vim.lsp.inlay_hint.get({ bufnr = buffer }), 'hints that Neovim holds')
  vim.cmd('normal! 5000Gzt')
  assert(#in_view(buffer) > 5, 'instructions in view')
  wait_for_drawn(buffer)
  vim.cmd('normal! gg')
  wait_for_drawn(buffer)
end)

t.case('in a large listing, colours are requested for the visible lines, also after scrolling', function()
  if vim.fn.has('nvim-0.12') == 0 then
    return t.left_out('colours of a large listing', 'this Neovim asks for all of them')
  end
  local by_buffer = vim.defaulttable(function()
    return {}
  end)
  local watch = vim.api.nvim_create_autocmd('LspRequest', {
    callback = function(event)
      by_buffer[event.buf][event.data.request.method] = true
    end,
  })
  local buffer = open_large()
  local function is_coloured(line)
    return #(vim.lsp.semantic_tokens.get_at_pos(buffer, line, 37) or {}) > 0
  end
  local function wait_for_colours()
    t.wait('colours of the instructions in view', function()
      return vim.iter(in_view(buffer)):all(is_coloured)
    end)
  end
  wait_for_colours()
  vim.cmd('normal! 5000Gzt')
  assert(#in_view(buffer) > 5, 'instructions in view')
  -- Neovim triggers this event itself only if it has a screen.
  vim.cmd('doautocmd <nomodeline> WinScrolled')
  wait_for_colours()
  local asked = by_buffer[buffer]
  assert(asked['textDocument/semanticTokens/range'] and not asked['textDocument/semanticTokens/full'], vim.inspect(asked))
  vim.api.nvim_del_autocmd(watch)
end)

t.case('hints of a large listing stay while new ones are requested', function()
  local buffer = open_large()
  wait_for_drawn(buffer)
  vim.cmd('normal! 5000Gzt')
  local before = wait_for_drawn(buffer)
  local line = in_view(buffer)[3]
  vim.api.nvim_buf_set_lines(buffer, line, line, true, { '        /*0000*/                   NOP ;' })
  local drawn = require('warplens.view_hints').get(buffer)
  t.equal(vim.tbl_count(before), vim.tbl_count(drawn), 'hints at once')
  t.equal(before[line], drawn[line + 1], 'they move with the text')
  assert(#in_view(buffer) > 5, 'instructions in view')
  wait_for_drawn(buffer)
  vim.cmd.WarplensGpu('v100')
  t.wait('those of another GPU', function()
    vim.cmd.redraw()
    local now = require('warplens.view_hints').get(buffer)
    assert(next(now), 'never without')
    return now[line + 1] ~= before[line]
  end)
  vim.cmd.WarplensGpu('auto')
  vim.bo[buffer].modified = false
end)

t.case("Neovim's switch holds for large listings", function()
  local buffer = open_large()
  wait_for_drawn(buffer)
  vim.lsp.inlay_hint.enable(false, { bufnr = buffer })
  t.wait('no hints', function()
    vim.cmd.redraw()
    return not next(require('warplens.view_hints').get(buffer))
  end)
  vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  wait_for_drawn(buffer)
end)

t.case('a listing that becomes large or small has each hint once', function()
  local buffer = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local instructions = t.instructions(buffer)
  wait_for_hints(buffer, instructions)
  vim.cmd.redraw()
  local space = vim.api.nvim_get_namespaces()['nvim.lsp.inlayhint']
  local function neovims()
    vim.cmd.redraw()
    return #vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})
  end
  assert(neovims() > 0, "Neovim's own")
  local count = vim.api.nvim_buf_line_count(buffer)
  local blank = {}
  for index = 1, 6000 do
    blank[index] = ''
  end
  vim.api.nvim_buf_set_lines(buffer, count, count, true, blank)
  wait_for_drawn(buffer)
  t.equal(0, neovims(), "Neovim's own in a large one")
  vim.api.nvim_buf_set_lines(buffer, count, -1, true, {})
  t.wait("Neovim's own again", function()
    return neovims() > 0
  end)
  t.equal({}, require('warplens.view_hints').get(buffer), 'ours')
  vim.bo[buffer].modified = false
end)

t.case('g:warplens can switch hints off', function()
  vim.g.warplens = { inlay_hints = false }
  local copy = vim.fn.tempname() .. '.nvsass'
  vim.fn.writefile(vim.fn.readfile(t.path(LISTINGS[1])), copy)
  vim.cmd.edit(copy)
  local buffer = vim.api.nvim_get_current_buf()
  t.wait('the client', function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' }) > 0
  end)
  vim.wait(200)
  t.equal(false, vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), 'hints')
  vim.g.warplens = nil
end)

t.finish()
