--- A window has the details of a kernel, its occupancy over each resource, and other GPUs.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
local PTX = 'tests/corpus/ptx/transpose.ptx'

vim.o.columns, vim.o.lines = 150, 60

--- Waits for the window and returns its text.
local function window_from(buffer)
  t.wait('the window', function()
    return vim.api.nvim_get_current_buf() ~= buffer
  end)
  t.equal('markdown', vim.bo.filetype, 'the filetype')
  assert(vim.api.nvim_win_get_config(0).relative ~= '', 'it floats')
  return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
end

local function close(buffer)
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer once it is closed')
end

t.case('the kernel at the cursor is shown, with its loop if the cursor is in one', function()
  local buffer = t.open(LISTING)
  vim.api.nvim_win_set_cursor(0, { t.find(buffer, '/*0020*/') + 1, 0 })
  vim.cmd.WarplensKernel()
  local text = window_from(buffer)
  for _, part in ipairs({ '**`sgemm16`**', 'Occupancy', 'block size, 32 to 1,024 threads', '▲ 32: ', 'H200', '(shown)', 'limited by' }) do
    assert(text:find(part, 1, true), 'no ' .. part .. ' in ' .. text)
  end
  assert(not text:find('**Loop**', 1, true), text)
  close(buffer)
  vim.api.nvim_win_set_cursor(0, { t.find(buffer, '/*0a00*/') + 1, 0 })
  vim.cmd.WarplensKernel()
  text = window_from(buffer)
  assert(text:find('**`sgemm16`**', 1, true) and text:find('**Loop**', 1, true), text)
  close(buffer)
end)

t.case('above all kernels the first one is shown', function()
  local buffer = t.open(LISTING)
  vim.cmd('normal! gg')
  vim.cmd.WarplensKernel()
  assert(window_from(buffer):find('**`sgemm16`**', 1, true), 'no kernel')
  close(buffer)
end)

t.case('the kernel of PTX is shown, too', function()
  local buffer = t.open(PTX)
  vim.api.nvim_win_set_cursor(0, { t.find(buffer, 'mul.wide.u32') + 1, 0 })
  vim.cmd.WarplensKernel()
  local text = window_from(buffer)
  assert(text:find('transpose', 1, true) and text:find('**On other GPUs**', 1, true), text)
  close(buffer)
end)

t.case("the command of a lens opens the same window", function()
  local buffer, client = t.open(LISTING)
  vim.cmd('normal! G')
  local command = { title = '', command = 'warplens.showPanel', arguments = { vim.uri_from_bufnr(buffer), 4 } }
  client:exec_cmd(command, { bufnr = buffer })
  assert(window_from(buffer):find('**`sgemm16`**', 1, true), 'no kernel')
  close(buffer)
end)

t.case('a curve marks the current value, and says what changes it', function()
  local curve = {
    axis = 'registers',
    unit = 'per thread',
    now = 40,
    nowBlocks = 1,
    nowWarps = 16,
    maxWarps = 64,
    points = { { x = 1, warps = 64, blocks = 4 }, { x = 33, warps = 16, blocks = 1 }, { x = 65, warps = 0, blocks = 0 } },
    tip = '8 registers fewer allow 4 blocks per SM',
  }
  local lines = require('warplens.curves').draw({ gpu = 'G', curves = { curve } })
  t.equal({ '**Occupancy** on G', '', '```text', 'registers, 1 to 65 per thread' }, vim.list_slice(lines, 1, 4), 'its head')
  local bar, mark = lines[5], lines[6]
  t.equal(64, vim.fn.strdisplaywidth(bar), 'columns')
  local at = vim.fn.strdisplaywidth(mark:match('^(.-)▲'))
  t.equal('▂', vim.fn.strcharpart(bar, at, 1), 'at the mark')
  t.equal({ '█', ' ' }, { vim.fn.strcharpart(bar, 0, 1), vim.fn.strcharpart(bar, 63, 1) }, 'at its ends')
  assert(mark:find('40: 1 block, 16 of 64 warps per SM', 1, true), mark)
  t.equal({ curve.tip, '```' }, { lines[7], lines[8] }, 'what follows')
end)

t.finish()
