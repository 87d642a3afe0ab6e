--- Features for reading a listing: hover, symbols, folds, lenses and colours.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'

--- The hover at a place, as Markdown.
local function hover(client, buffer, line, character)
  local position = { line = line, character = character }
  local result = t.ask(client, buffer, 'textDocument/hover', { position = position })
  assert(result, ('no hover at %d:%d'):format(line + 1, character + 1))
  return result.contents.value
end

t.case('hover on an opcode explains it, its modifiers and its control code', function()
  local buffer, client = t.open(LISTING)
  local line, byte = t.find(buffer, 'ISETP.GE.AND')
  local text = hover(client, buffer, line, byte)
  for _, part in ipairs({
    'ISETP%*%*: %u%l+', -- a sentence on the opcode
    '%.GE`: .*greater than or equal',
    '%.AND`: .*and', -- and one on each modifier
    'B0%-%-%-%-%-:R%-:W%-:Y:S02', -- the control code of this instruction
    'waits for SB0.*0x0010', -- and the instruction that sets the scoreboard it waits for
    'Latency: %d+ cycles.*Source: %w',
    'GPU: H[12]00',
  }) do
    assert(text:find(part), ('no "%s" in: %s'):format(part, text))
  end
end)

t.case('hover on a special register explains it', function()
  local buffer, client = t.open(LISTING)
  local line, byte = t.find(buffer, 'SR_TID.X')
  local text = hover(client, buffer, line, byte)
  assert(text:find('SR_TID') and text:lower():find('thread'), text)
end)

t.case('K opens a window with the hover', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'ISETP.GE.AND')
  vim.api.nvim_win_set_cursor(0, { line + 1, byte })
  local windows = #vim.api.nvim_list_wins()
  vim.api.nvim_feedkeys('K', 'xt', false)
  t.wait('a floating window', function()
    return #vim.api.nvim_list_wins() > windows
  end)
  local window = vim.iter(vim.api.nvim_list_wins()):find(function(candidate)
    return vim.api.nvim_win_get_config(candidate).relative ~= ''
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  assert(text:find('ISETP'), text)
  vim.api.nvim_win_close(window, true)
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer under the hover')
end)

t.case('symbols name the kernel', function()
  local buffer, client = t.open(LISTING)
  local symbols = t.ask(client, buffer, 'textDocument/documentSymbol')
  local names = vim.iter(symbols):map(function(symbol)
    return symbol.name
  end):totable()
  assert(vim.list_contains(names, 'sgemm16'), vim.inspect(names))
end)

t.case('symbols name the labels within the kernel', function()
  local buffer, client = t.open('tests/corpus/sm_61/sgemm.nvdisasm-hex-c.txt')
  local found = {}
  local function collect(symbols)
    for _, symbol in ipairs(symbols or {}) do
      found[symbol.name] = symbol.range.start.line
      collect(symbol.children)
    end
  end
  collect(t.ask(client, buffer, 'textDocument/documentSymbol'))
  assert(found['sgemm16'], vim.inspect(found))
  t.equal(t.find(buffer, '.L_x_2:'), found['.L_x_2'], 'the line of .L_x_2')
end)

t.case('a kernel can be folded', function()
  local buffer, client = t.open(LISTING)
  local instructions = t.instructions(buffer)
  local whole = vim.iter(t.ask(client, buffer, 'textDocument/foldingRange')):find(function(fold)
    return fold.startLine < instructions[1] and fold.endLine >= instructions[#instructions]
  end)
  assert(whole, 'no fold holds all instructions')
end)

t.case('the window has folds if g:warplens enables them', function()
  vim.g.warplens = { folding = true }
  local copy = vim.fn.tempname() .. '.nvsass'
  vim.fn.writefile(vim.fn.readfile(t.path(LISTING)), copy)
  vim.cmd.edit(copy)
  local line = t.find(0, '/*00a0*/') + 1
  t.wait('a fold at the instruction', function()
    vim.cmd('silent! normal! zx')
    return vim.fn.foldlevel(line) > 0
  end)
  t.equal(-1, vim.fn.foldclosed(line), 'open at first')
  t.equal('manual', vim.wo.foldmethod, 'no expression is asked of every line')
  -- A closed fold stays closed when an edit changes the folds.
  local buffer = vim.api.nvim_get_current_buf()
  local start = t.find(buffer, 'Function : sgemm16') + 1
  vim.cmd(start .. 'foldclose')
  t.equal(start, vim.fn.foldclosed(line), 'closed by hand')
  local header = vim.api.nvim_buf_get_lines(buffer, start - 1, start, true)[1]
  local more = { (header:gsub('sgemm16', 'other')), '        /*0000*/                   EXIT ;', '        /*0010*/                   EXIT ;' }
  local count = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_buf_set_lines(buffer, count, count, true, more)
  t.wait('a fold in what was added', function()
    return vim.fn.foldlevel(count + 2) > 0
  end)
  t.equal(start, vim.fn.foldclosed(line), 'still closed')
  vim.bo[buffer].modified = false
  vim.g.warplens = nil
end)

t.case('a lens above the kernel summarises it, and Neovim lists it', function()
  local buffer, client = t.open(LISTING)
  local lenses = t.ask(client, buffer, 'textDocument/codeLens')
  assert(#lenses > 0, 'no lens')
  local title = lenses[1].command.title
  for _, fact in ipairs({ ' reg', 'occupancy', 'cycles' }) do
    assert(title:lower():find(fact), ('no %s in "%s"'):format(fact, title))
  end
  t.wait('the lens above the line', function()
    return #t.rows_above(buffer) == #lenses
  end)
end)

t.case('each launch of a kernel has a row above it, in the order of warplens.toml', function()
  local folder = vim.fn.resolve(vim.fn.tempname())
  vim.fn.mkdir(folder, 'p')
  -- With more than two launches, each lens is resolved by a further request.
  local launches = {}
  for index, block in ipairs({ 256, 64, 128, 32 }) do
    vim.list_extend(launches, {
      '[[launch]]',
      ('name = "launch%d"'):format(index),
      'function = "sgemm16"',
      'grid = [8, 8, 1]',
      ('block = [%d, 1, 1]'):format(block),
    })
  end
  vim.fn.writefile(launches, folder .. '/warplens.toml')
  vim.fn.writefile(vim.fn.readfile(t.path(LISTING)), folder .. '/many.nvsass')
  vim.cmd.edit(folder .. '/many.nvsass')
  local buffer = vim.api.nvim_get_current_buf()
  local rows = t.wait('what the launches say', function()
    vim.cmd.redraw()
    local rows = vim.tbl_filter(function(row)
      return row.line < 20
    end, t.rows_above(buffer))
    return #rows >= 4 and vim.iter(rows):all(function(row)
      return row.text ~= ''
    end) and rows
  end)
  t.equal(4, #rows, 'rows above the kernel: ' .. vim.inspect(rows))
  for index, row in ipairs(rows) do
    assert(row.text:find('launch' .. index, 1, true), vim.inspect(rows))
    t.equal(rows[1].line, row.line, 'the line of launch ' .. index)
  end
end)

t.case('every instruction has coloured tokens', function()
  local buffer, client = t.open(LISTING)
  local numbers = t.ask(client, buffer, 'textDocument/semanticTokens/full').data
  t.equal(0, #numbers % 5, 'tokens are groups of five numbers')
  local coloured, line = {}, 0
  for index = 1, #numbers, 5 do
    line = line + numbers[index]
    coloured[line] = true
  end
  for _, instruction in ipairs(t.instructions(buffer)) do
    assert(coloured[instruction], ('no token in line %d'):format(instruction + 1))
  end
end)

t.case('an opcode is coloured in the buffer', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'S2R')
  local tokens = t.wait('tokens on S2R', function()
    local found = vim.lsp.semantic_tokens.get_at_pos(buffer, line, byte)
    return found and #found > 0 and found
  end)
  t.equal({ byte, byte + 3 }, { tokens[1].start_col, tokens[1].end_col }, 'the token is the opcode')
end)

t.case('comments are written in the syntax of the assemblers', function()
  t.open(LISTING)
  t.equal('// %s', vim.bo.commentstring, 'commentstring')
end)

t.finish()
