--- An attached profile is shown at the instructions and in the margin, follows launches and edits, and can be detached.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local INSTRUCTIONS = {
  'LDC R1, c[0x0][0x28]',
  'S2R R0, SR_TID.X',
  'LDC.64 R2, c[0x0][0x210]',
  'IMAD.WIDE R2, R0, 0x4, R2',
  'LDG.E R4, desc[UR4][R2.64]',
  'FADD R5, R4, R4',
  'STG.E desc[UR4][R2.64], R5',
  'EXIT',
}
local SCALE, SHIFT = 'scale(const float *, float *, int)', 'shift(float *)'
local REASONS = { 'stall_long_sb', 'stall_wait', 'stall_lg', 'stall_selected' }

--- Samples for each stall reason, by the number of the instruction: two launches of one kernel, and one of another.
local WAITS_FOR_MEMORY = { [1] = { 0, 2, 0, 1 }, [4] = { 0, 6, 0, 1 }, [6] = { 80, 8, 0, 2 } }
local WAITS_FOR_THE_QUEUE = { [4] = { 0, 10, 0, 0 }, [7] = { 0, 0, 90, 0 } }
local OF_SHIFT = { [6] = { 50, 10, 0, 0 } }

local folder = vim.fn.resolve(vim.fn.tempname())
vim.fn.mkdir(folder .. '/.warplens', 'p')
vim.fn.mkdir(folder .. '/.hidden')
vim.cmd.cd(vim.fn.fnameescape(folder))

--- The messages that were shown.
local said = {}
vim.notify = function(text)
  said[#said + 1] = text
end

--- An unexpected question would wait for an answer forever.
vim.ui.select = function(items)
  error('asked to choose among ' .. vim.inspect(items))
end

--- A row of CSV.
local function row(values)
  return vim.iter(values):map(function(value)
    return '"' .. value .. '"'
  end):join(',')
end

--- The rows of a source page for all instructions. `line` is the source line, if the page has lines.
local function rows(counts, line)
  local all = {}
  for number, instruction in ipairs(INSTRUCTIONS) do
    local own = counts[number] or { 0, 0, 0, 0 }
    local samples = own[1] + own[2] + own[3] + own[4]
    local values = { ('0x7f8f277ac2%02x'):format(16 * (number - 1)), '      ' .. instruction, samples, samples, 4096 }
    if line then
      values = vim.list_extend({ number == 1 and line or '', number == 1 and 'y[i] = 2.0f * x[i];' or '' }, values)
    end
    all[number] = row(vim.list_extend(values, own))
  end
  return all
end

local TITLES = { 'Address', 'Source', 'Warp Stall Sampling (All Samples)', '# Samples', 'Instructions Executed' }

--- Writes a source page in the format of `ncu --page source --csv`.
local function write_profile(name, launches)
  local lines = {}
  for _, launch in ipairs(launches) do
    vim.list_extend(lines, { '"Kernel Name","' .. launch[1] .. '",', row(vim.list_extend(vim.deepcopy(TITLES), REASONS)) })
    vim.list_extend(lines, rows(launch[2]))
  end
  vim.fn.writefile(lines, folder .. '/' .. name)
end

--- Writes a listing of both kernels.
local function write_listing(name)
  local lines = { '\tcode for sm_90' }
  for _, kernel in ipairs({ '_Z5scalePKfPfi', '_Z5shiftPf' }) do
    lines[#lines + 1] = '\t\tFunction : ' .. kernel
    for number, instruction in ipairs(INSTRUCTIONS) do
      lines[#lines + 1] = ('        /*%04x*/                   %s ;'):format(16 * (number - 1), instruction)
    end
  end
  vim.fn.writefile(lines, folder .. '/' .. name)
end

write_listing('kernels.nvsass')
write_profile('both.csv', { { SCALE, WAITS_FOR_MEMORY }, { SCALE, WAITS_FOR_THE_QUEUE }, { SHIFT, OF_SHIFT } })
write_profile('.warplens/other.csv', { { SHIFT, OF_SHIFT } })
write_profile('.hidden/secret.csv', { { SHIFT, OF_SHIFT } })
vim.fn.writefile({}, folder .. '/later.ncu-rep')

--- Answers the next choice with the item that contains a text. Returns a list that is filled with the offered items then.
local function choose(part)
  local offered = {}
  local select = vim.ui.select
  vim.ui.select = function(items, options, done)
    vim.ui.select = select
    local format = options.format_item or tostring
    vim.list_extend(offered, vim.tbl_map(format, items))
    done(vim.iter(items):find(function(item)
      return format(item):find(part, 1, true)
    end))
  end
  return offered
end

---@param buffer integer
---@return table<integer, string> by 1-based line
local function measured(buffer)
  local found = {}
  for _, held in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local label = held.inlay_hint.label
    label = type(label) == 'table' and label[1].value or label
    if label:find('%d %% ') then
      found[held.inlay_hint.position.line + 1] = vim.trim(label)
    end
  end
  return found
end

local function lenses(buffer)
  return t.lens_titles(buffer)
end

--- The highlight groups of the signs of measured heat, by line, counted from 1.
local function signs(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.heat']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    t.equal(mark[4].sign_hl_group, mark[4].number_hl_group, 'the colour of the number')
    assert(not found[mark[2] + 1], 'two signs in line ' .. mark[2] + 1)
    if vim.startswith(mark[4].sign_hl_group, 'WarplensHeat') then
      found[mark[2] + 1] = mark[4].sign_hl_group
    end
  end
  return found
end

local function wait_for(expected, what, answer)
  local actual
  local came = vim.wait(t.PATIENCE, function()
    actual = answer()
    return vim.deep_equal(expected, actual)
  end, 20)
  assert(came, ('waited in vain for %s: %s, got %s'):format(what, vim.inspect(expected), vim.inspect(actual)))
end

local function wait_for_lens(buffer, part)
  t.wait('a lens with ' .. part, function()
    return lenses(buffer):find(part, 1, true)
  end)
end

--- Waits for a window of this tab that shows a tree, and returns its buffer.
local function tree_buffer()
  return t.wait('the window of a tree', function()
    return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(vim.api.nvim_win_get_buf):find(function(buffer)
      return vim.bo[buffer].filetype == 'warplens_top_down'
    end)
  end)
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

local LISTING = folder .. '/kernels.nvsass'
vim.cmd.edit(vim.fn.fnameescape(LISTING))
local listing = vim.api.nvim_get_current_buf()
local client = t.wait('a client', function()
  local found = vim.lsp.get_clients({ bufnr = listing, name = 'warplens' })[1]
  return found and found.initialized and found
end)
t.wait('the hints of the model', function()
  return #vim.lsp.inlay_hint.get({ bufnr = listing }) > 0
end)

--- Lines of the listing, counted from 1.
local FIRST, IMAD, FADD, STG = 3, 6, 8, 9
local FADD_OF_SHIFT = 17

t.case('without a profile nothing is shown, and a message says how to attach one', function()
  t.equal({}, measured(listing), 'hints')
  t.equal({}, signs(listing), 'signs')
  for _, command in ipairs({ 'WarplensLaunch', 'WarplensTopDown' }) do
    vim.cmd[command]()
    t.wait('the word of it', function()
      return vim.tbl_contains(said, 'warplens: no profile is attached: see :help :WarplensProfile')
    end)
    said = {}
  end
end)

t.case('a missing file is reported', function()
  local shown
  local handler = vim.lsp.handlers['window/showMessage']
  vim.lsp.handlers['window/showMessage'] = function(_, params)
    shown = params.message
  end
  vim.cmd.WarplensProfile('nowhere.csv')
  t.wait('a message', function()
    return shown
  end)
  vim.lsp.handlers['window/showMessage'] = handler
  assert(shown:find(folder .. '/nowhere.csv', 1, true), shown)
end)

t.case('files are completed, and offered if none is named', function()
  t.equal({ 'both.csv' }, vim.fn.getcompletion('WarplensProfile bo', 'cmdline'), 'completion')
  t.equal({ 'both.csv', 'later.ncu-rep' }, vim.fn.getcompletion('WarplensProfile ', 'cmdline'), 'completion of all')
  local offered = choose('both.csv')
  vim.cmd.WarplensProfile()
  t.equal({ 'later.ncu-rep', '.warplens/other.csv', 'both.csv' }, offered, 'files')
  t.wait('the word of it', function()
    return vim.iter(said):any(function(text)
      return text:find('^warplens: both%.csv: %d+ of %d+ kernels? of .+ measured$') ~= nil
    end)
  end)
end)

t.case('hints, lenses and signs are those of the profile', function()
  -- Shares of the 100 samples of the one kernel, and of the 60 of the other.
  local expected = {
    [FIRST] = '3.0 % wait',
    [IMAD] = '7.0 % wait',
    [FADD] = '90.0 % long_scoreboard',
    [FADD_OF_SHIFT] = '100.0 % long_scoreboard',
  }
  wait_for(expected, 'hints', function()
    return measured(listing)
  end)
  wait_for_lens(listing, 'measured: long_scoreboard')
  wait_for_lens(listing, 'launch 1 of 2 in both.csv')
  local colours = {
    [FIRST] = 'WarplensHeat2',
    [IMAD] = 'WarplensHeat3',
    [FADD] = 'WarplensHeat4',
    [FADD_OF_SHIFT] = 'WarplensHeat4',
  }
  wait_for(colours, 'signs', function()
    return signs(listing)
  end)
  t.equal('DiagnosticError', vim.api.nvim_get_hl(0, { name = 'WarplensHeat4' }).link, 'the group of the hottest')
end)

t.case('the tree is that of the kernel at the cursor, and its entries go to the instructions', function()
  vim.api.nvim_win_set_cursor(0, { FADD_OF_SHIFT, 0 })
  vim.cmd.WarplensTopDown()
  local tree = tree_buffer()
  t.equal(tree, vim.api.nvim_get_current_buf(), 'the current buffer')
  assert(text_of(tree):find(SHIFT, 1, true), text_of(tree))
  press('q')
  t.equal(listing, vim.api.nvim_get_current_buf(), 'after q')
  assert(not vim.api.nvim_buf_is_valid(tree), 'the tree is wiped')

  vim.api.nvim_win_set_cursor(0, { STG, 0 })
  vim.cmd.WarplensTopDown()
  tree = tree_buffer()
  local text = text_of(tree)
  for _, part in ipairs({
    SCALE,
    'launch 1 of 2 in both.csv, from warp state samples',
    '\n 83.3 %%  global and local memory\n',
    '\n   83.3 %%  long_scoreboard  waits for global or local memory\n',
    '\n    100.0 %%  0x0050  FADD R5, R4, R4\n',
    '\n   16.7 %%  wait  waits for a fixed%-latency instruction\n',
    '\n           » dependent%-instructions: Put [^\n]* Gain unknown: it explains 17 %% of the stalls.',
  }) do
    local is_pattern = part:find('\n', 1, true)
    assert(text:find(part, 1, not is_pattern), ('no %q in:\n%s'):format(part, text))
  end
  assert(not text:find('-0 %', 1, true), text)

  -- The key goes from an instruction to its line, and adds to the jump list.
  local at = t.find(tree, '0x0030  IMAD.WIDE')
  vim.api.nvim_win_set_cursor(0, { at + 1, 0 })
  press('<CR>')
  t.wait('the listing', function()
    return vim.api.nvim_get_current_buf() == listing
  end)
  t.equal(IMAD, vim.api.nvim_win_get_cursor(0)[1], 'the line of the instruction')
  press('<C-O>')
  t.equal(STG, vim.api.nvim_win_get_cursor(0)[1], 'the line before')
end)

t.case('the tree folds by its levels', function()
  local tree = tree_buffer()
  vim.api.nvim_set_current_win(vim.fn.bufwinid(tree))
  local category, reason = t.find(tree, '  global and local memory') + 1, t.find(tree, '  long_scoreboard') + 1
  local place = t.find(tree, '0x0050') + 1
  t.equal({ 0, 1, 2, 2 }, vim.iter({ 1, category, reason, place }):map(vim.fn.foldlevel):totable(), 'levels')
  t.equal(-1, vim.fn.foldclosed(place), 'open at first')
  -- On an entry without a target, the key folds.
  vim.api.nvim_win_set_cursor(0, { reason, 0 })
  press('<CR>')
  t.equal(reason, vim.fn.foldclosed(place), 'the reason is folded')
  t.equal(-1, vim.fn.foldclosed(category), 'the category is not')
end)

t.case('another launch is shown everywhere once it is chosen', function()
  local tree = tree_buffer()
  local offered = choose('launch 2')
  vim.cmd.WarplensLaunch()
  t.wait('the choice', function()
    return #offered > 0
  end)
  t.equal({
    '* launch 1: ' .. SCALE .. '  (both.csv)',
    '  launch 2: ' .. SCALE .. '  (both.csv)',
    '* launch 1: ' .. SHIFT .. '  (both.csv)',
  }, offered, 'launches')
  local expected = { [IMAD] = '10.0 % wait', [STG] = '90.0 % lg_throttle', [FADD_OF_SHIFT] = '100.0 % long_scoreboard' }
  wait_for(expected, 'hints of the other launch', function()
    return measured(listing)
  end)
  local colours = { [IMAD] = 'WarplensHeat3', [STG] = 'WarplensHeat4', [FADD_OF_SHIFT] = 'WarplensHeat4' }
  wait_for(colours, 'signs of the other launch', function()
    return signs(listing)
  end)
  wait_for_lens(listing, 'launch 2 of 2 in both.csv')
  t.wait('the tree of the other launch', function()
    local text = text_of(tree)
    return text:find('launch 2 of 2 in both.csv', 1, true) and text:find('90.0 %  lg_throttle', 1, true)
  end)
  t.equal(tree, vim.api.nvim_get_current_buf(), 'the cursor is still in the tree')
  choose('launch 1: scale')
  vim.cmd.WarplensLaunch()
  t.wait('the tree of the first launch', function()
    return text_of(tree):find('launch 1 of 2 in both.csv', 1, true)
  end)
end)

t.case('folds stay closed when the tree is shown again', function()
  local tree = tree_buffer()
  local reason = t.find(tree, '  wait  ') + 1
  vim.api.nvim_win_set_cursor(0, { reason, 0 })
  press('zc')
  t.equal(reason, vim.fn.foldclosed(reason), 'folded')
  local tick = vim.api.nvim_buf_get_changedtick(tree)
  choose('launch 1: shift')
  vim.cmd.WarplensLaunch()
  t.wait('the tree', function()
    return vim.api.nvim_buf_get_changedtick(tree) > tick
  end)
  t.equal(reason, vim.fn.foldclosed(reason), 'folded still')
  t.equal(-1, vim.fn.foldclosed(t.find(tree, '0x0050') + 1), 'another reason')
  press('q')
end)

t.case('instructions without a text in the profile get the text of the listing', function()
  -- A report contains only addresses.
  local function without_texts(node)
    for _, place in ipairs(node.places) do
      place.text = vim.NIL
    end
    vim.iter(node.children):each(without_texts)
  end
  local request = client.request
  function client:request(method, params, done, ...)
    return request(self, method, params, function(err, answer, ...)
      if method == 'warplens/topDown' and answer then
        without_texts(answer.tree.root)
      end
      return done(err, answer, ...)
    end, ...)
  end
  vim.api.nvim_win_set_cursor(0, { FADD_OF_SHIFT, 0 })
  vim.cmd.WarplensTopDown()
  local tree = tree_buffer()
  client.request = nil
  t.find(tree, '100.0 %  0x0050  FADD R5, R4, R4')
  press('q')
end)

t.case('names of kernels are the same in all spellings', function()
  local named = require('warplens.kernels').named
  local symbols = { { name = 'scale(float const*, float*, int)' }, { name = 'void ns::shift<4>(float*)' }, { name = 'plain' } }
  for name, at in pairs({
    [SCALE] = 1,
    _Z5scalePKfPfi = 1,
    ['void shift<(int)4>(float *)'] = 2,
    _ZN2ns5shiftILi4EEEvPf = 2,
    plain = 3,
  }) do
    t.equal(symbols[at], named(symbols, name), name)
  end
  t.equal(nil, named({ symbols[1] }, 'other(float *)'), 'another kernel')
end)

t.case('a kernel is chosen from a list', function()
  vim.api.nvim_win_set_cursor(0, { FIRST, 0 })
  local offered = choose('shift')
  vim.cmd.WarplensTopDown({ bang = true })
  local tree = tree_buffer()
  t.equal({ SCALE, SHIFT }, offered, 'kernels')
  assert(text_of(tree):find(SHIFT, 1, true), text_of(tree))
  -- The profile and the listing spell the name of the kernel differently.
  vim.api.nvim_win_set_cursor(0, { t.find(tree, '0x0050  FADD') + 1, 0 })
  press('<CR>')
  wait_for({ listing, FADD_OF_SHIFT }, 'the instruction of that kernel', function()
    return { vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] }
  end)
  vim.api.nvim_buf_delete(tree, { force = true })
end)

t.case('edited lines are marked as changed code after a pause', function()
  local line = vim.api.nvim_buf_get_lines(listing, IMAD - 1, IMAD, true)[1]
  vim.api.nvim_buf_set_lines(listing, IMAD - 1, IMAD, true, { (line:gsub('IMAD.WIDE R2', 'IMAD.WIDE R8')) })
  local expected = {
    [FIRST] = '3.0 % wait ?',
    [FADD] = '90.0 % long_scoreboard ?',
    [FADD_OF_SHIFT] = '100.0 % long_scoreboard',
  }
  wait_for(expected, 'hints of other code', function()
    return measured(listing)
  end)
  local colours = {
    [FIRST] = 'WarplensHeatStale',
    [FADD] = 'WarplensHeatStale',
    [FADD_OF_SHIFT] = 'WarplensHeat4',
  }
  wait_for(colours, 'signs of other code', function()
    return signs(listing)
  end)
  wait_for_lens(listing, 'measured (for different code): ')
  -- Signs move with their lines.
  vim.api.nvim_buf_set_lines(listing, IMAD - 1, IMAD, true, { line })
  vim.api.nvim_buf_set_lines(listing, 0, 0, true, { '// above' })
  wait_for({ 'WarplensHeat2', 'WarplensHeat3', 'WarplensHeat4' }, 'signs of the code again', function()
    local now = signs(listing)
    return { now[FIRST + 1], now[IMAD + 1], now[FADD + 1] }
  end)
  vim.api.nvim_buf_set_lines(listing, 0, 1, true, {})
end)

t.case('g:warplens can switch signs off', function()
  vim.g.warplens = { heat = false }
  vim.api.nvim_exec_autocmds('BufEnter', { buffer = listing })
  t.equal({}, signs(listing), 'signs')
  vim.g.warplens = nil
  vim.api.nvim_exec_autocmds('BufEnter', { buffer = listing })
  t.wait('the signs again', function()
    return signs(listing)[FADD]
  end)
end)

t.case('two profiles are compared in a tab', function()
  local select, parts, offered = vim.ui.select, { 'both.csv', 'other.csv' }, {}
  vim.ui.select = function(items, options, done)
    offered = vim.tbl_map(options.format_item, items)
    local part = table.remove(parts, 1)
    done(vim.iter(items):find(function(item)
      return item:find(part, 1, true)
    end))
  end
  vim.cmd.WarplensCompareProfiles()
  local compared = t.wait('the text', function()
    local buffer = vim.api.nvim_get_current_buf()
    return vim.bo[buffer].filetype == 'markdown' and buffer
  end)
  vim.ui.select = select
  t.equal(true, vim.tbl_contains(offered, '.warplens/other.csv'), 'a file that is found')
  local text = text_of(compared)
  assert(vim.startswith(text, '# both.csv -> other.csv'), text)
  assert(text:find('## ' .. SHIFT, 1, true) and text:find('Only in both.csv', 1, true), text)
  vim.cmd.tabclose()
  t.equal(listing, vim.api.nvim_get_current_buf(), 'the buffer of before')
end)

t.case('a restarted server has the same profiles', function()
  vim.cmd.WarplensRestart()
  t.wait('another server', function()
    local now = vim.lsp.get_clients({ bufnr = listing, name = 'warplens' })[1]
    return now and now.id ~= client.id and now
  end)
  t.wait('its hints', function()
    return measured(listing)[FADD] == '90.0 % long_scoreboard'
  end)
  t.wait('its signs', function()
    return signs(listing)[FADD] == 'WarplensHeat4'
  end)
end)

t.case('detaching a profile removes everything that it shows', function()
  vim.api.nvim_win_set_cursor(0, { FADD, 0 })
  vim.cmd.WarplensTopDown()
  local tree = tree_buffer()
  vim.cmd.WarplensProfile({ bang = true })
  wait_for({}, 'no hints', function()
    return measured(listing)
  end)
  wait_for({}, 'no signs', function()
    return signs(listing)
  end)
  t.wait('no lens', function()
    local now = lenses(listing)
    return now:find('cycles') and not now:find('measured')
  end)
  t.wait('no tree', function()
    return vim.startswith(text_of(tree), 'No attached profile has stall reasons for ')
  end)
  assert(vim.tbl_contains(said, 'warplens: all profiles are detached'), vim.inspect(said))
  vim.api.nvim_buf_delete(tree, { force = true })
end)

t.case('a profile by lines marks a source, and its tree leads to the source', function()
  local source = folder .. '/scale.cu'
  vim.fn.writefile({
    '__global__ void scale(const float *x, float *y, int n) {',
    '    int i = blockIdx.x * blockDim.x + threadIdx.x;',
    '    y[i] = 2.0f * x[i];',
    '}',
  }, source)
  local page = {
    '"File Path","/elsewhere/scale.cu",',
    '"Kernel Name","' .. SCALE .. '",',
    row(vim.list_extend(vim.list_extend({ 'Line No', 'Source' }, TITLES), REASONS)),
  }
  vim.fn.writefile(vim.list_extend(page, rows(WAITS_FOR_MEMORY, 3)), folder .. '/lines.csv')
  vim.cmd.edit(vim.fn.fnameescape(source))
  local buffer = vim.api.nvim_get_current_buf()
  t.wait('a client', function()
    local found = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
    return found and found.initialized
  end)
  vim.cmd.WarplensProfile('lines.csv')
  -- Without compiled code, it is unknown whether the text is the one that was measured.
  wait_for({ [3] = 'WarplensHeatStale' }, 'the sign of the line', function()
    return signs(buffer)
  end)
  vim.api.nvim_win_set_cursor(0, { 1, 0 })
  vim.cmd.WarplensTopDown()
  local tree = tree_buffer()
  vim.api.nvim_win_set_cursor(0, { t.find(tree, '0x0050  FADD R5, R4, R4  scale.cu:3') + 1, 0 })
  press('<CR>')
  t.equal({ buffer, 3 }, { vim.api.nvim_get_current_buf(), vim.api.nvim_win_get_cursor(0)[1] }, 'the line')
  vim.api.nvim_buf_delete(tree, { force = true })
  vim.cmd.WarplensProfile({ bang = true })
  wait_for({}, 'no signs', function()
    return signs(buffer)
  end)
end)

t.finish()
