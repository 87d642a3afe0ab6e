--- `:checkhealth warplens` has no warnings if everything works, and names each problem.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

--- The report of the check as text.
local function report()
  vim.cmd('silent checkhealth warplens')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  vim.cmd.bwipeout({ bang = true })
  return text
end

t.case('clean before anything is open', function()
  local text = report()
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
  assert(text:find('no SASS or PTX is open'), text)
end)

t.case('clean with a listing open: program, version, Neovim, filetype and client', function()
  t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local text = report()
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
  for _, part in ipairs({ 'OK Neovim %d', 'OK warplens %d+%.%d+%.%d+', 'nvsass %(cuobjdump%), client %d+ attached' }) do
    assert(text:find(part), ('no "%s" in:\n%s'):format(part, text))
  end
end)

t.case('clean with PTX open', function()
  t.open('tests/corpus/ptx/transpose.ptx')
  local text = report()
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
  assert(text:find('ptx %(it starts with %.version%), client %d+ attached'), text)
end)

t.case('clean with CUDA open', function()
  local buffer = t.edit('tests/e2e/cuda/column.cu')
  t.wait('a client of CUDA', function()
    local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
    return client and client.initialized
  end)
  local text = report()
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
  assert(text:find('column%.cu: filetype cuda, client %d+ attached'), text)
end)

t.case('a missing nvcc is a note, not a warning', function()
  if vim.fn.executable('nvcc') == 1 or vim.env.CUDA_HOME then
    return t.left_out('the note', 'this machine has an nvcc')
  end
  vim.g.warplens = { disassemble = { '/' } }
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  t.wait('the end of the servers', function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! %bwipeout!')
  t.edit('tests/e2e/cuda/column.cu')
  local text = t.wait('the note', function()
    local said = report()
    return said:find('no nvcc found: figures are estimated from the source.', 1, true) and said
  end)
  vim.g.warplens = nil
  assert(not text:find('ERROR') and not text:find('WARNING'), text)
  assert(text:find('nvcc is not on $PATH', 1, true), text)
end)

t.case('an unknown option is reported', function()
  vim.g.warplens = { inlay_hint = true, encodings = 'gone' }
  local text = report()
  vim.g.warplens = nil
  assert(text:find('WARNING.-"inlay_hint"'), text)
  assert(text:find('WARNING.-`encodings` must be "shown" or "dimmed" or "hidden", not "gone"'), text)
end)

t.case('a missing program is reported once, at the first file', function()
  local other = t.another([[
    vim.lsp.config('warplens', { cmd = { 'warplens-that-is-not-there', 'lsp' } })
    said = {}
    vim.notify = function(text)
      said[#said + 1] = text
    end
  ]])
  for _, file in ipairs({ 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt', 'tests/corpus/ptx/transpose.ptx' }) do
    other.lua(('vim.cmd.edit(%q)'):format(t.path(file)))
    vim.wait(300)
  end
  local said = vim.tbl_filter(function(text)
    return text:find('warplens-that-is-not-there', 1, true)
  end, other.lua('return said'))
  other.stop()
  t.equal(1, #said, 'what is said: ' .. vim.inspect(said))
  assert(said[1]:find('checkhealth', 1, true), said[1])
end)

t.case('a missing program is an error with advice', function()
  vim.lsp.config('warplens', { cmd = { 'warplens-that-is-not-there', 'lsp' } })
  local text = report()
  assert(text:find('ERROR.-warplens%-that%-is%-not%-there'), text)
  assert(text:find('PATH'), text)
end)

t.finish()
