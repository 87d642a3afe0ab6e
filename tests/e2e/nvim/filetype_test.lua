--- SASS is told by its content, and nothing else is taken for it.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local folder = vim.fn.tempname()
vim.fn.mkdir(folder, 'p')

--- The filetype of a file of that name and content.
local function filetype_of(name, lines)
  local path = folder .. '/' .. name
  vim.fn.writefile(lines, path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local filetype = vim.bo.filetype
  vim.cmd.bwipeout({ bang = true })
  return filetype
end

local SASS = {
  { 'cuobjdump', 'a.txt', { '', 'Fatbin elf code:', '================', '', '\tcode for sm_90', '\t.target\tsm_90' } },
  { 'cuobjdump, no ending', 'dump', { '', '\tcode for sm_61', '\t\tFunction : sgemm16' } },
  { 'cuobjdump, headers cut off', 'b.txt', { '        /*0008*/                   MOV R1, c[0x0][0x44];' } },
  { 'cuobjdump, braces', 'c.txt', { '        /*0010*/         {         MOV R12, c[0x0][0x160] ;' } },
  { 'nvdisasm -c', 'd.asm', { '\t.target\tsm_90', '', '//--------------------- .text.sgemm16   --------------------------' } },
  { 'nvdisasm, a guard', 'e.lst', { '.L_x_0:', '        /*00b0*/              @!P0 BRA `(.L_x_0) ;' } },
  { 'maxas', 'f.sass', { '# Kernel', '<REGISTER_MAPPING>', '', '    0-63 ~ blk, ldx' } },
  { 'maxas without a mapping', 'g.sass', { '--:-:1:-:1      S2R R112, SR_TID.X;' } },
  { 'maxas, a guard', 'g2.sass', { '01:-:-:-:1 @!P0 MOV32I tex, 0x80000001; // texA' } },
  { 'KeplerAs', 'h.sass', { '// the inner loop', '-:G:D:-:00 @P2 LDG.E.128 loadA, [trackA];' } },
  { 'TuringAs', 'i.sass', { '<params>', 'input, 8', '</params>', '02:-:-:-:2     STG.E [output_0], tmp;' } },
  { 'a listing below its licence', 'i2.sass', { '/* You may use this', ' * as you see fit', ' */', '--:-:1:-:1 S2R tid, SR_TID.X;' } },
  { 'CuAssembler by ending', 'j.cuasm', { '// nothing yet' } },
  { 'dsass by ending', 'k.dsass', { '' } },
  { 'nvsass by ending', 'l.nvsass', { '' } },
  { 'cuasm by content', 'm.asm', { '\t.__elf_type             ET_EXEC' } },
  { 'dsass by content', 'n.txt', { '[B------:R-:W2:-:S01]         /*0030*/   LDG.E.SYS R5, [UR36] ;' } },
}

for _, sample in ipairs(SASS) do
  t.case('nvsass: ' .. sample[1], function()
    t.equal('nvsass', filetype_of(sample[2], sample[3]), sample[2])
  end)
end

local OTHER = {
  { 'a style sheet', 'a.sass', 'sass', { '$colour: red', '.a', '  color: $colour' } },
  { 'an empty style sheet', 'b.sass', 'sass', { '' } },
  { 'prose', 'a.txt', 'text', { 'The code for sm was written in 2007.', 'Function: none' } },
  -- What these two are called depends on Neovim's version and on whether modelines are read.
  { 'a help file', 'h.txt', nil, { '*h.txt* Help', '', ' vim:tw=78:ft=help:norl:' } },
  { 'PTX', 'a.ptx', nil, { '.version 8.0', '.target sm_90' } },
  { 'assembly of another machine', 'a.asm', 'asm', { 'main:', '  mov eax, 1 ; /* 0x1 */' } },
  { 'a shell script without an ending', 'script', 'sh', { '#!/bin/sh', 'echo' } },
  { 'CUDA', 'a.cu', 'cuda', { '__global__ void f() {}' } },
  {
    'prose that quotes a listing',
    'c.txt',
    'text',
    {
      'The compiler turns the loop into this, which is',
      'surprising, because nobody would write it so:',
      '',
      '        /*0080*/                   ISETP.GE.AND P0, PT, R0, 0x1, PT ;',
      '        /*0090*/                   LEA R5, R5, R12, 0x4 ;',
      '',
      'The second instruction waits for the first one.',
    },
  },
  { 'markup with a code tag', 'b.txt', 'text', { '<CODE>', 'x', '</CODE>' } },
}

for _, sample in ipairs(OTHER) do
  t.case('not nvsass: ' .. sample[1], function()
    local filetype = filetype_of(sample[2], sample[4])
    assert(filetype ~= 'nvsass', sample[2])
    t.equal(sample[3] or filetype, filetype, sample[2])
  end)
end

--- Asks for the filetype of every listing and source under a folder; gives their number.
local function detect_all(corpus)
  local seen = 0
  for _, pattern in ipairs({ '**/*sass*.txt', '**/*nvdisasm*.txt', '**/*.sass', '**/*.cuasm', '**/*.dsass' }) do
    for _, file in ipairs(vim.fn.globpath(corpus, pattern, false, true)) do
      vim.cmd('noautocmd edit ' .. vim.fn.fnameescape(file))
      t.equal('nvsass', vim.filetype.match({ buf = 0 }), file)
      vim.cmd.bwipeout({ bang = true })
      seen = seen + 1
    end
  end
  return seen
end

t.case('every file of the corpus', function()
  assert(detect_all(t.path('tests/corpus')) >= 3)
end)

local shared = vim.fn.fnamemodify(vim.env.WARPLENS_ROOT, ':h') .. '/shared/corpus'
if vim.fn.isdirectory(shared) == 1 then
  t.case('every file of the shared corpus', function()
    assert(detect_all(shared) > 50)
  end)
else
  t.left_out('the shared corpus', 'its folder is not here')
end

t.case('looking costs the same however long the file is', function()
  local lines = {}
  for index = 1, 400000 do
    lines[index] = 'a line of prose that nobody takes for an instruction'
  end
  vim.cmd.enew()
  vim.api.nvim_buf_set_lines(0, 0, -1, false, lines)
  local dialect = require('warplens.dialect')
  local start = vim.uv.hrtime()
  for _ = 1, 100 do
    t.equal(nil, dialect.of_buffer(0), 'the notation of prose')
  end
  local each_ms = (vim.uv.hrtime() - start) / 1e6 / 100
  assert(each_ms < 5, ('%.2f ms'):format(each_ms))
  vim.api.nvim_buf_set_lines(0, 0, -1, false, { ('x'):rep(50000000) })
  start = vim.uv.hrtime()
  dialect.of_buffer(0)
  local long_ms = (vim.uv.hrtime() - start) / 1e6
  assert(long_ms < 200, ('a line of 50 MB: %.0f ms'):format(long_ms))
  vim.cmd.bwipeout({ bang = true })
end)

t.finish()
