--- PTX has the same features as listings: colours, hover, navigation, completion, rename, findings.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local MODULE = 'tests/corpus/ptx/transpose.ptx'

--- The errors of the text, without findings about its speed.
local function errors(buffer)
  return vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.ERROR } })
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

--- The hover on `part` of the first line that contains `whole`, as Markdown.
local function hover(client, buffer, whole, part)
  local line, byte = t.go(buffer, whole, part)
  local answer = t.ask(client, buffer, 'textDocument/hover', { position = { line = line, character = byte } })
  assert(answer, ('no hover on %s'):format(part))
  return answer.contents.value
end

--- The labels that are proposed after `typed`, which replaces the line of the `bar.sync`.
local function proposed(client, buffer, typed)
  local line = t.find(buffer, 'bar.sync 0;')
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { '\t' .. typed })
  local position = { line = line, character = #typed + 1 }
  local answer = t.ask(client, buffer, 'textDocument/completion', { position = position })
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { '\tbar.sync 0;' })
  return vim.iter(answer.items or answer):map(function(item)
    return item.label
  end):totable()
end

t.case('PTX is recognised by its extension, and the server handles it', function()
  local buffer, client = t.open(MODULE)
  t.equal('ptx', vim.bo[buffer].filetype, 'filetype')
  t.equal('// %s', vim.bo[buffer].commentstring, 'how a line is put into a comment')
  t.go(buffer, 'mov.u32 %r1', '%r1')
  t.equal('%r1', vim.fn.expand('<cword>'), 'the word at a register')
  t.go(buffer, 'ld.param.u64', 'param')
  t.equal('param', vim.fn.expand('<cword>'), 'the word at a modifier')
  t.ask(client, buffer, 'textDocument/documentSymbol')
  vim.wait(1500)
  t.equal({}, errors(buffer), 'errors')
end)

t.case('symbols name the kernel', function()
  local buffer, client = t.open(MODULE)
  local names = vim.iter(t.ask(client, buffer, 'textDocument/documentSymbol')):map(function(symbol)
    return symbol.name
  end):totable()
  assert(vim.list_contains(names, 'transpose'), vim.inspect(names))
end)

t.case('the server colours registers, predicates and special registers apart', function()
  local buffer = t.open(MODULE)
  local function colour(whole, part)
    local line, byte = t.go(buffer, whole, part)
    local tokens = vim.lsp.semantic_tokens.get_at_pos(buffer, line, byte)
    return tokens and tokens[1] and tokens[1].type
  end
  t.wait('colours', function()
    return colour('mov.u32 %r1, %tid.x', '%tid')
  end)
  t.equal('type', colour('mov.u32 %r1, %tid.x', '%tid'), 'a special register')
  t.equal('variable', colour('mov.u32 %r1, %tid.x', '%r1'), 'a register')
  t.equal('enumMember', colour('@%p1 bra LOAD', '%p1'), 'a predicate')
  t.equal('namespace', colour('@%p1 bra LOAD', 'LOAD'), 'a label')
  t.equal('keyword', colour('mov.u32 %r1, %tid.x', 'mov'), 'an opcode')
  local group = vim.fn.synIDattr(vim.fn.synIDtrans(vim.fn.hlID('@lsp.type.variable.ptx')), 'name')
  t.equal('Identifier', group, 'the group of registers')
end)

t.case('a hover explains an instruction, a special register and a register', function()
  local buffer, client = t.open(MODULE)
  local text = hover(client, buffer, 'mad.lo.u32 %r6', 'mad')
  assert(text:find('mad') and text:find('%.lo'), text)
  text = hover(client, buffer, '%tid.x', '%tid')
  assert(text:lower():find('thread'), text)
  text = hover(client, buffer, 'setp.lt.u32 %p1', '%p1')
  assert(text:find('pred'), text)
end)

t.case('the definition of a label, a parameter and a register is its declaration', function()
  local buffer = t.open(MODULE)
  for _, jump in ipairs({
    { '@%p1 bra LOAD', 'LOAD', 'LOAD:' },
    { 'ld.param.u32 %r5', 'width', '.param .u32 width' },
    { 'mov.u32 %r9, tile', 'tile', '.b8 tile[4096]' },
  }) do
    local line = t.find(buffer, jump[3])
    t.go(buffer, jump[1], jump[2])
    vim.lsp.buf.definition()
    t.wait('the declaration of ' .. jump[2], function()
      return t.place()[1] == line
    end)
  end
end)

t.case('a label is renamed at its declaration and at the jumps to it', function()
  local buffer = t.open(MODULE)
  t.go(buffer, '@%p1 bra LOAD', 'LOAD')
  vim.lsp.buf.rename('next_rows')
  t.wait('the new name', function()
    return text_of(buffer):find('bra next_rows;', 1, true)
  end)
  assert(text_of(buffer):find('\nnext_rows:') and not text_of(buffer):find('LOAD', 1, true), 'the old name is left')
end)

t.case('instructions, modifiers after a dot, special registers and names are proposed', function()
  local buffer, client = t.open(MODULE)
  for typed, wanted in pairs({
    ['ad'] = 'add',
    ['ld.'] = 'global',
    ['ld.global.'] = 'f32',
    ['mov.u32 %r1, %lan'] = '%laneid',
    ['mov.u32 %r1, ti'] = 'tile',
    ['@%p1 bra STO'] = 'STORE',
  }) do
    local labels = proposed(client, buffer, typed)
    local found = vim.iter(labels):any(function(label)
      return label == wanted or label == '.' .. wanted
    end)
    assert(found, ('after "%s" no %s among: %s'):format(typed, wanted, table.concat(labels, ' ')))
  end
end)

t.case('an undeclared name is an error in its line, and the error goes once it is fixed', function()
  local buffer = t.open(MODULE)
  local line, byte = t.find(buffer, 'tile;')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 4, { 'tilt' })
  -- The error of a text that an earlier case has left may still be there for a moment.
  local found = t.wait('an error of that line alone', function()
    local all = errors(buffer)
    return #all == 1 and all[1].lnum == line and all
  end)
  t.equal({ 1, line, byte }, { #found, found[1].lnum, found[1].col }, 'its place: ' .. vim.inspect(found))
  assert(found[1].message:find('tilt', 1, true), found[1].message)
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 4, { 'tile' })
  t.wait('the error to go', function()
    return #errors(buffer) == 0
  end)
end)

t.case('a statement without its semicolon is one error', function()
  local buffer = t.open(MODULE)
  local line = t.find(buffer, 'bar.sync 0;')
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { '\tbar.sync 0' })
  t.wait('an error of that line alone', function()
    local all = errors(buffer)
    return #all == 1 and all[1].lnum == line
  end)
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { '\tbar.sync 0;' })
  t.wait('the error to go', function()
    return #errors(buffer) == 0
  end)
end)

t.case('the kernel and its parameters fold', function()
  local buffer, client = t.open(MODULE)
  local first = t.find(buffer, '{')
  local folds = t.ask(client, buffer, 'textDocument/foldingRange')
  local body = vim.iter(folds):any(function(fold)
    return fold.startLine <= first and fold.endLine >= first + 40
  end)
  assert(body, vim.inspect(folds))
end)

t.case('hints, lenses and findings are shown at the lines of the text, all estimated', function()
  local buffer, client = t.open(MODULE)
  local load = t.find(buffer, 'ld.shared.f32 %f2')
  t.wait('a hint at the load', function()
    return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buffer })):any(function(hint)
      return hint.inlay_hint.position.line == load
    end)
  end)
  local lenses = vim.iter(t.ask(client, buffer, 'textDocument/codeLens')):map(function(lens)
    assert(vim.endswith(lens.command.title, 'estimated from PTX'), lens.command.title)
    return lens.range.start.line
  end):totable()
  local expected = { t.find(buffer, '.entry transpose'), t.find(buffer, 'LOAD:'), (t.find(buffer, 'STORE:')) }
  t.equal(expected, lenses, 'lines with lenses')
  local conflict = t.wait('the conflict of banks', function()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(found)
      return found.code == 'bank-conflict'
    end)
  end)
  t.equal(load, conflict.lnum, 'its line')
  assert(conflict.message:find('^Estimated, before ptxas'), conflict.message)
end)

t.case('what is selected is timed', function()
  local buffer = t.open(MODULE)
  local first, last = t.find(buffer, 'ld.shared.f32 %f2') + 1, t.find(buffer, '@%p1 bra STORE') + 1
  vim.cmd.messages('clear')
  vim.cmd({ cmd = 'WarplensCycles', range = { first, last } })
  local said = t.wait('the cycles', function()
    local text = vim.trim(vim.fn.execute('messages'))
    return text ~= '' and text
  end)
  assert(said:find('%d+ cycles, 1 warp') and said:find(('lines %d..%d'):format(first, last), 1, true), said)
end)

t.finish()
