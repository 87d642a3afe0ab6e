--- A broken line is one finding and has no effect on other lines.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'

--- The errors and warnings of the text, without findings about its speed.
local function errors(buffer)
  return vim.diagnostic.get(buffer, { severity = { min = vim.diagnostic.severity.WARN } })
end

t.case('our own listing is without errors', function()
  local buffer, client = t.open(LISTING)
  -- An answer to a later request shows that the server has read the text. Findings of the model arrive after a pause.
  t.ask(client, buffer, 'textDocument/documentSymbol')
  vim.wait(1500)
  t.equal({}, errors(buffer), 'findings')
end)

t.case('a broken line is one error in that line, and the error goes once it is fixed', function()
  local buffer, client = t.open(LISTING)
  local line = t.find(buffer, '/*00a0*/')
  local whole = vim.api.nvim_buf_get_lines(buffer, line, line + 1, true)
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, { (whole[1]:gsub('LEA R4, R11, R6, 0x4 ;', 'LEA R4, [R11, R6,, 0x4 ;')) })
  local found = t.wait('an error', function()
    local all = errors(buffer)
    return #all > 0 and all
  end)
  vim.wait(1000)
  found = errors(buffer)
  t.equal(1, #found, 'errors: ' .. vim.inspect(found))
  t.equal(line, found[1].lnum, 'its line')
  t.equal('warplens', found[1].source, 'its source')
  assert(found[1].message ~= '', 'its message')

  local others = vim.tbl_filter(function(instruction)
    return instruction ~= line
  end, t.instructions(buffer))
  local hinted = {}
  for _, hint in ipairs(t.ask(client, buffer, 'textDocument/inlayHint', { range = t.everything(buffer) })) do
    hinted[hint.position.line] = true
  end
  for _, instruction in ipairs(others) do
    assert(hinted[instruction], ('line %d lost its hint'):format(instruction + 1))
  end

  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, whole)
  t.wait('the error to go', function()
    return #errors(buffer) == 0
  end)
end)

t.case('a mnemonic that the GPU does not have is reported', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'LEA R4, R11')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 3, { 'LEAQ' })
  local found = t.wait('a finding', function()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(finding)
      return finding.code == 'unknown-opcode'
    end)
  end)
  t.equal({ line, byte, byte + 4 }, { found.lnum, found.col, found.end_col }, 'its place')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 4, { 'LEA' })
  t.wait('the finding to go', function()
    return #errors(buffer) == 0
  end)
end)

t.case('the page of a rule is shown for the finding in the line, and by its code', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'LEA R4, R11')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 3, { 'LEAQ' })
  t.wait('a finding', function()
    return vim.iter(vim.diagnostic.get(buffer)):any(function(finding)
      return finding.code == 'unknown-opcode'
    end)
  end)
  local own = vim.api.nvim_get_current_win()
  vim.api.nvim_win_set_cursor(own, { line + 1, 0 })
  local function shown_page(what)
    local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
    assert(vim.startswith(text, '# ' .. what), text)
    t.equal({ 'markdown', 'nofile', false }, { vim.bo.filetype, vim.bo.buftype, vim.bo.modifiable }, 'the page')
  end
  vim.cmd.WarplensRule()
  shown_page('unknown-opcode')
  vim.cmd.WarplensRule('bank-conflict')
  shown_page('bank-conflict')
  t.equal(2, #vim.api.nvim_tabpage_list_wins(0), 'one window for pages')
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.equal({ own }, vim.api.nvim_tabpage_list_wins(0), 'windows without the page')
  local codes = vim.fn.getcompletion('WarplensRule bank', 'cmdline')
  assert(vim.list_contains(codes, 'bank-conflict'), vim.inspect(codes))
  local said
  local notify = vim.notify
  vim.notify = function(text)
    said = text
  end
  vim.cmd.WarplensRule('no-such-rule')
  vim.notify = notify
  assert(said and said:find('no-such-rule', 1, true), said)
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 4, { 'LEA' })
  t.wait('the finding to go', function()
    return #errors(buffer) == 0
  end)
end)

t.case('positions are right in and below lines with characters beyond ASCII', function()
  local buffer = t.open(LISTING)
  local comment = '// 寄存器 🚀 naïve'
  local line = t.find(buffer, '/*00a0*/')
  vim.api.nvim_buf_set_lines(buffer, line, line, true, { comment })
  local below, byte = t.find(buffer, 'LEA R4, R11')
  vim.api.nvim_buf_set_text(buffer, below, byte, below, byte + 3, { 'LEAQ' })
  local found = t.wait('a finding', function()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(finding)
      return finding.code == 'unknown-opcode'
    end)
  end)
  t.equal({ below, byte, byte + 4 }, { found.lnum, found.col, found.end_col }, 'its place')
  local tokens = t.wait('a token on the comment', function()
    local at = vim.lsp.semantic_tokens.get_at_pos(buffer, line, 0)
    return at and #at > 0 and at
  end)
  t.equal({ 0, #comment }, { tokens[1].start_col, tokens[1].end_col }, 'the comment, in bytes')
end)

--- The text of the diagnostics window for a line with a finding, counted from 0.
local function float_of(line)
  vim.api.nvim_win_set_cursor(0, { line + 1, 0 })
  local float, window = vim.diagnostic.open_float()
  assert(float, 'no window')
  local text = table.concat(vim.api.nvim_buf_get_lines(float, 0, -1, true), '\n')
  vim.api.nvim_win_close(window, true)
  return text
end

t.case('the window of diagnostics says how to open the page of a rule', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'LEA R4, R11')
  vim.api.nvim_buf_set_text(buffer, line, byte, line, byte + 3, { 'LEAQ' })
  t.wait('a finding', function()
    return #vim.diagnostic.get(buffer, { lnum = line }) > 0
  end)
  t.wait('the name of the page', function()
    return float_of(line):find('[unknown-opcode] (gK explains)', 1, true)
  end)
  -- The keys open and close the page.
  vim.api.nvim_feedkeys('gK', 'xt', false)
  assert(vim.api.nvim_buf_get_name(0):find('unknown-opcode', 1, true), vim.api.nvim_buf_get_name(0))
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer')
  -- If the keys are mapped to something else, the command is named.
  vim.keymap.set('n', 'gK', '<Nop>', { buffer = buffer })
  assert(float_of(line):find('[unknown-opcode] (:WarplensRule explains)', 1, true), float_of(line))
  vim.keymap.del('n', 'gK', { buffer = buffer })
  vim.g.warplens = { rule_pages = false }
  local text = float_of(line)
  assert(text:find('[unknown-opcode]', 1, true) and not text:find('explains', 1, true), text)
  vim.g.warplens = nil
  -- Findings of other sources are unchanged.
  local others = vim.api.nvim_create_namespace('others')
  vim.diagnostic.set(others, buffer, { { lnum = 0, col = 0, message = 'theirs', code = 'unknown-opcode', source = 'lint' } })
  assert(vim.endswith(float_of(0), 'theirs [unknown-opcode]'), float_of(0))
  vim.diagnostic.reset(others, buffer)
  vim.bo[buffer].modified = false
end)

t.finish()
