--- Followed advice: the buffer is written, the command of `[run]` is run under the profiler, and the effect is shown. A
--- script replaces ncu.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local KERNEL = 'scale(const float *, float *, int)'

local folder = vim.fn.resolve(vim.fn.tempname())
vim.fn.mkdir(folder, 'p')

--- Writes the raw page of Nsight Compute for one launch as CSV. `time` is in microseconds.
local function write_page(name, time)
  vim.fn.writefile({
    '"ID","Kernel Name","Block Size","Grid Size","gpu__time_duration.sum"',
    '"","","","","us"',
    ('"0","%s","(256, 1, 1)","(64, 1, 1)","%s"'):format(KERNEL, time),
  }, folder .. '/' .. name)
end

write_page('before.csv', 30)
write_page('after.csv', 20)
-- The program fails unless the edited buffer was written.
vim.fn.writefile({ 'grep -q unroll scale.cu || exit 5', 'echo ran >> ran', 'cp after.csv report.csv' }, folder .. '/bench.sh')
vim.fn.writefile(
  { '[profile]', 'reports = ["before.csv"]', '[run]', 'command = ["sh", "bench.sh"]' },
  folder .. '/warplens.toml'
)
vim.fn.writefile({
  '__global__ void scale(const float *x, float *y, int n) {',
  '    int i = blockIdx.x * blockDim.x + threadIdx.x;',
  '    y[i] = 2.0f * x[i];',
  '}',
}, folder .. '/scale.cu')

vim.g.warplens = { disassemble = { '/' } }
vim.lsp.config('warplens', { init_options = { ncu = { path = t.path('tests/e2e/stand_in/ncu') }, compile = { live = false } } })

local said = {}
vim.notify = function(text)
  said[#said + 1] = text
end

--- The questions that were asked, and the title of the answer to each; nil cancels the question.
local asked, answer = {}, nil
vim.ui.select = function(items, options, done)
  asked[#asked + 1] = options.prompt
  done(vim.iter(items):find(function(item)
    return item.title == answer
  end))
end

vim.cmd.edit(vim.fn.fnameescape(folder .. '/scale.cu'))
local buffer = vim.api.nvim_get_current_buf()
local client = t.wait('a client', function()
  local found = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
  return found and found.initialized and found
end)

local function launches()
  return t.ask(client, buffer, 'warplens/profiledLaunches').launches
end

--- Runs the command of a code action, as after its edit is applied.
local function follow()
  local followed = { uri = vim.uri_from_bufnr(buffer), kernel = KERNEL, advice = 'dependent-instructions', claimed = 1.6 }
  client:exec_cmd({ title = 'Follow', command = 'warplens.followAdvice', arguments = { followed } }, { bufnr = buffer })
end

t.wait('the profile', function()
  return #launches() == 1
end)

t.case('the program does not run without confirmation', function()
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { '#pragma unroll' })
  answer = 'Not now'
  follow()
  t.wait('the question', function()
    return #asked == 1
  end)
  assert(asked[1]:find('Run `sh bench.sh` under ncu?', 1, true), asked[1])
  assert(not vim.bo[buffer].modified, 'the buffer is written')
  t.equal({}, said, 'messages')
  t.equal(0, vim.fn.filereadable(folder .. '/ran'), 'runs')
end)

t.case('the claimed gain is reported together with the measured one', function()
  answer = 'Run'
  follow()
  local expected = 'warplens: `scale`: 30.0 µs -> 20.0 µs, 1.5 times as fast (claimed: about 1.6).'
  t.wait('the message', function()
    return vim.tbl_contains(said, expected)
  end)
  t.equal({ expected }, said, 'messages')
  t.equal(2, #asked, 'questions')
  local profiles = vim.tbl_map(function(launch)
    return launch.profile
  end, launches())
  t.equal({ 'followed-1.ncu-rep', 'before.csv' }, profiles, 'profiles')
  follow()
  t.wait('another message', function()
    return #said == 2
  end)
  t.equal(2, #asked, 'questions')
end)

t.case('a text that cannot be written is not measured', function()
  said = {}
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { '// more' })
  vim.bo[buffer].readonly = true
  follow()
  t.equal(1, #said, 'messages')
  assert(said[1]:find('could not be written', 1, true), said[1])
  t.equal(2, #vim.fn.readfile(folder .. '/ran'), 'runs')
  vim.bo[buffer].readonly = false
end)

t.finish()
