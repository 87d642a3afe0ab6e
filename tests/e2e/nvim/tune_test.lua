--- A kernel that `warplens.toml` tunes: its variants are compiled on request, and a window shows them. Scripts replace
--- NVIDIA's tools.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local folder = vim.fn.resolve(vim.fn.tempname())
vim.fn.mkdir(folder, 'p')
vim.fn.writefile({
  'gpu = "h100-sxm"',
  '[tune.scale]',
  'shapes = [{ N = 16384 }, { N = 1024 }]',
  'grid = ["N / BLOCK"]',
  'block = ["BLOCK"]',
  'params = ["ptr", "ptr", "N"]',
  '[tune.scale.parameters]',
  'BLOCK = [64, 256, 1024]',
}, folder .. '/warplens.toml')
vim.fn.writefile({
  '#define BLOCK 256',
  '__global__ void scale(const float *x, float *y, int n) {',
  '    int i = blockIdx.x * blockDim.x + threadIdx.x;',
  '    y[i * 8] = 2.0f * x[i];',
  '}',
}, folder .. '/scale.cu')

local tools = t.path('tests/e2e/stand_in')
vim.g.warplens = { disassemble = { '/' } }
vim.lsp.config('warplens', {
  init_options = {
    nvcc = { path = tools .. '/nvcc' },
    ptxas = { path = tools .. '/ptxas' },
    disassembler = tools .. '/nvdisasm',
    compile = { live = false },
  },
})
vim.o.columns, vim.o.lines = 150, 60

--- The questions that were asked. Each is answered with the last choice.
local asked = {}
vim.ui.select = function(items, options, done)
  asked[#asked + 1] = options.prompt
  done(items[#items])
end

vim.cmd.edit(vim.fn.fnameescape(folder .. '/scale.cu'))
local buffer = vim.api.nvim_get_current_buf()
local client = t.wait('a client', function()
  local found = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
  return found and found.initialized and found
end)

--- The titles of the lenses of tuned kernels.
local function titles()
  local lenses = t.ask(client, buffer, 'textDocument/codeLens')
  return vim.iter(lenses or {}):map(function(lens)
    return lens.data.tune and lens.command.title
  end):totable()
end

t.case('the variants of a shape are shown in a window, and the lens names the best', function()
  t.equal({ 'Tune `scale` for N=16384', 'Tune `scale` for N=1024' }, titles(), 'the lenses')
  vim.api.nvim_win_set_cursor(0, { 3, 0 })
  vim.cmd.WarplensTune()
  t.wait('the window', function()
    return vim.api.nvim_get_current_buf() ~= buffer
  end)
  t.equal({ 'Tune scale for' }, asked, 'what was asked')
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), '\n')
  for _, part in ipairs({ 'scale for N=1024 on H100', '3 of 3 variants compiled', '* BLOCK = 256 ' }) do
    assert(text:find(part, 1, true), 'no ' .. part .. ' in ' .. text)
  end
  vim.api.nvim_feedkeys('q', 'xt', false)
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer once it is closed')
  assert(titles()[2]:find('^N=1024: best BLOCK = '), titles()[2])
end)

t.finish()
