--- `:WarplensCopyAs` copies instructions in the notation of another assembler.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
--- Line of the instruction at 0x0010, counted from 1.
local LINE = 9

--- Records the messages from now on, and returns the list of them.
local function listen()
  local notified = {}
  vim.notify = function(text)
    notified[#notified + 1] = text
  end
  return function()
    return t.wait('something to be said', function()
      return notified[1] and table.concat(notified, '\n')
    end)
  end
end

t.case('lines are copied with their control codes', function()
  t.open(LISTING)
  local said = listen()
  vim.cmd({ cmd = 'WarplensCopyAs', args = { 'cuassembler' }, range = { LINE, LINE } })
  t.equal('warplens: copied 1 instruction as CuAssembler', said(), 'what is said')
  local text = vim.fn.getreg('"')
  assert(text:find('^      %[B[-%d]+:R.:W.:.:S%d%d%]         /%*0010%*/'), text)
  t.equal(1, #vim.split(vim.trim(text), '\n'), 'lines')
end)

t.case('the kernel at the cursor is copied without a range', function()
  local buffer = t.open(LISTING)
  vim.api.nvim_win_set_cursor(0, { LINE, 0 })
  local said = listen()
  vim.cmd.WarplensCopyAs('turingas')
  local count = tonumber(said():match('copied (%d+) instructions as TuringAs'))
  t.equal(#t.instructions(buffer), count, 'instructions')
  assert(vim.fn.getreg('"'):find('BRA L_%x+;'), 'branches name labels')
end)

t.case('what does not fit is refused with a reason', function()
  t.open(LISTING)
  local said = listen()
  vim.api.nvim_win_set_cursor(0, { LINE, 0 })
  vim.cmd.WarplensCopyAs('maxas')
  assert(said():find('TuringAs or CuAssembler'), said())
  said = listen()
  vim.cmd.WarplensCopyAs('gas')
  assert(said():find('known: cuassembler'), said())
end)

t.case('names of assemblers are completed', function()
  t.equal({ 'maxas' }, vim.fn.getcompletion('WarplensCopyAs m', 'cmdline'), 'completions')
end)

t.finish()
