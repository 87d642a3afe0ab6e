--- A listing is opened; what the server knows stands beside every instruction, and follows edits.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

--- The labels of the hints that Neovim holds, by 0-based line.
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

--- Waits until each of these lines has a hint with a number in it.
local function wait_for_hints(buffer, lines)
  t.wait('a hint beside each of ' .. #lines .. ' instructions', function()
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

t.case('tooltips say which GPU, region, model and source a number is from', function()
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
  for _, part in ipairs({ 'Model: paper', 'Model: pipeline', '0x0000 to 0x00b0', 'Source: %w' }) do
    assert(all:find(part), ('no "%s" in: %s'):format(part, all))
  end
end)

t.case('hints follow an instruction that is typed', function()
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

t.case('hints stay away where g:warplens says so', function()
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
