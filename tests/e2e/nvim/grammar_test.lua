--- The tree-sitter grammar, built as a user builds it, with the queries that the plugin ships.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local GRAMMAR = 'grammars/tree-sitter-nvsass/src'

--- Builds the parser into a folder on 'runtimepath'.
local function build()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. '/parser', 'p')
  local source = t.path(GRAMMAR)
  local command = { 'cc', '-O1', '-shared', '-fPIC', '-I', source, source .. '/parser.c', source .. '/scanner.c' }
  local built = vim.system(vim.list_extend(command, { '-o', folder .. '/parser/nvsass.so' }), { text = true }):wait()
  assert(built.code == 0, built.stderr)
  vim.opt.runtimepath:prepend(folder)
end

--- The captures at the first place of `text` at or after a line.
local function captures(buffer, text, from)
  local line, byte = t.find(buffer, text, from)
  local names = {}
  for _, one in ipairs(vim.treesitter.get_captures_at_pos(buffer, line, byte)) do
    names[#names + 1] = one.capture
  end
  return names
end

--- Opens a file, and parses all of it.
local function parsed(relative)
  local buffer = t.edit(relative)
  vim.treesitter.start(buffer, 'nvsass')
  local tree = vim.treesitter.get_parser(buffer, 'nvsass'):parse(true)[1]
  return buffer, tree:root()
end

t.case('the parser builds and loads', function()
  build()
  assert(vim.treesitter.language.add('nvsass'))
end)

t.case('every query fits the grammar', function()
  for _, name in ipairs({ 'highlights', 'folds', 'indents', 'locals' }) do
    local query = vim.treesitter.query.get('nvsass', name)
    assert(query and #query.captures > 0, name)
  end
end)

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

t.case('kernels fold', function()
  local buffer = parsed('tests/corpus/sm_61/sgemm.nvdisasm-hex-c.txt')
  vim.wo.foldmethod = 'expr'
  vim.wo.foldexpr = 'v:lua.vim.treesitter.foldexpr()'
  local line = t.find(buffer, '/*0010*/')
  t.wait('folds', function()
    return vim.fn.foldlevel(line + 1) >= 1
  end)
end)

t.finish()
