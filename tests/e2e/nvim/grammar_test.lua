--- The tree-sitter grammars, built as a user builds them, with the queries of the plugin.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LANGUAGES = { 'nvsass', 'ptx' }

--- Builds the parser of a language into a folder on 'runtimepath'.
local function build(language)
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. '/parser', 'p')
  local source = t.path(('grammars/tree-sitter-%s/src'):format(language))
  local command = { 'cc', '-O1', '-shared', '-fPIC', '-I', source, source .. '/parser.c', source .. '/scanner.c' }
  local built = vim.system(vim.list_extend(command, { '-o', folder .. '/parser/' .. language .. '.so' }), { text = true }):wait()
  assert(built.code == 0, built.stderr)
  vim.opt.runtimepath:prepend(folder)
end

--- The captures at the first occurrence of `text` in or after a line.
local function captures(buffer, text, from)
  local line, byte = t.find(buffer, text, from)
  local names = {}
  for _, one in ipairs(vim.treesitter.get_captures_at_pos(buffer, line, byte)) do
    names[#names + 1] = one.capture
  end
  return names
end

--- Opens a file and parses it completely.
local function parsed(relative)
  local buffer = t.edit(relative)
  local language = vim.bo[buffer].filetype
  vim.treesitter.start(buffer, language)
  local tree = vim.treesitter.get_parser(buffer, language):parse(true)[1]
  return buffer, tree:root()
end

for _, language in ipairs(LANGUAGES) do
  t.case('the parser builds and loads: ' .. language, function()
    build(language)
    assert(vim.treesitter.language.add(language))
  end)

  t.case('every query fits the grammar: ' .. language, function()
    for _, name in ipairs({ 'highlights', 'folds', 'indents', 'locals' }) do
      local query = vim.treesitter.query.get(language, name)
      assert(query and #query.captures > 0, name)
    end
  end)
end

t.case('a listing has no error and its colours', function()
  local buffer, root = parsed('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  t.equal(false, root:has_error(), 'errors')
  local from = t.find(buffer, '/*0010*/')
  t.equal({ 'comment' }, captures(buffer, '/*0010*/', from), 'address')
  t.equal({ 'function.builtin' }, captures(buffer, 'LDC', from), 'an opcode that touches memory')
  t.equal({ 'variable' }, captures(buffer, 'R0', from), 'register')
  t.equal({ 'keyword.modifier' }, captures(buffer, 'c[', from), 'bank')
  t.equal({ 'keyword.control' }, captures(buffer, 'BRA', from), 'an opcode that branches')
  t.equal({ 'property' }, captures(buffer, 'P0', from), 'predicate')
  t.equal({ 'function' }, captures(buffer, 'sgemm16'), 'kernel')
end)

t.case('an opcode that does not exist has no colour of one', function()
  local buffer = parsed('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local line, byte = t.find(buffer, 'LDC R1')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 3, { 'LDQ' })
  vim.treesitter.get_parser(buffer, 'nvsass'):parse(true)
  t.equal({ 'variable' }, captures(buffer, 'LDQ'), 'unknown opcode')
end)

t.case('PTX has no error and its colours', function()
  local buffer, root = parsed('tests/corpus/ptx/transpose.ptx')
  t.equal(false, root:has_error(), 'errors')
  for text, wanted in pairs({
    ['transpose('] = 'function',
    ['.entry'] = 'keyword.function',
    ['.param .u64 .ptr'] = 'keyword.modifier',
    ['%p<2>'] = 'property',
    ['tile[4096]'] = 'variable',
    ['mov.u32 %r1'] = 'function',
    ['ld.param.u64 %rd1'] = 'function.builtin',
    ['bra LOAD'] = 'keyword.control',
    ['.u32 %r1, %tid'] = 'type',
    ['.lo.u32'] = 'attribute',
    ['%tid.x'] = 'variable.builtin',
    ['%rd1, [in]'] = 'variable',
    ['LOAD;'] = 'label',
    ['LOAD:'] = 'label',
    ['// Eight rows'] = 'comment',
  }) do
    t.equal({ wanted }, captures(buffer, text), text)
  end
end)

for file, inside in pairs({
  ['tests/corpus/sm_61/sgemm.nvdisasm-hex-c.txt'] = '/*0010*/',
  ['tests/corpus/ptx/transpose.ptx'] = 'bar.sync',
}) do
  t.case('kernels fold: ' .. file, function()
    local buffer = parsed(file)
    vim.wo.foldmethod = 'expr'
    vim.wo.foldexpr = 'v:lua.vim.treesitter.foldexpr()'
    local line = t.find(buffer, inside)
    t.wait('folds', function()
      return vim.fn.foldlevel(line + 1) >= 1
    end)
  end)
end

t.finish()
