--- A cubin is opened as a listing, and its file on disk is not changed.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local CUBIN = 'server/syntax/tests/cubins/sm_90.cubin'

t.case('without trust, a cubin shows the resources of its kernels', function()
  local said
  local notify = vim.notify
  vim.notify = function(text)
    said = text
  end
  local buffer = t.edit(CUBIN)
  vim.notify = notify
  assert(said:find('not trusted') and said:find('`disassemble` in :help warplens%-options'), said)
  t.equal('nvsass', vim.bo[buffer].filetype, 'filetype')
  local lines = vim.api.nvim_buf_get_lines(buffer, 0, -1, false)
  for _, line in ipairs(lines) do
    t.equal('//', line:sub(1, 2), 'the start of each line')
  end
  assert(table.concat(lines, '\n'):find('14 registers', 1, true), 'the registers of `tile` are said')
end)

t.case('a listing is not written over its cubin', function()
  local before = vim.fn.readblob(t.path(CUBIN))
  pcall(vim.cmd, 'silent! write!')
  t.equal(before, vim.fn.readblob(t.path(CUBIN)), 'the file')
end)

t.finish()
