--- Without a profile, the margin shows the predicted share of each line, the hottest lines are listed, and keys go to them.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
--- The smallest share that has a sign.
local SMALLEST_SHARE = 0.005

--- The messages that were shown.
local said = {}
vim.notify = function(text)
  said[#said + 1] = text
end

--- The signs of heat, by 1-based line.
---@return table<integer, string> groups
local function signs(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.heat']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    found[mark[2] + 1] = mark[4].sign_hl_group
  end
  return found
end

local function wait_for_signs(buffer, is_right)
  return t.wait('signs', function()
    local now = signs(buffer)
    return next(now) and (not is_right or is_right(now)) and now
  end)
end

--- Whether the signs are those of the shares that the server has now. A full simulation of the launch, which a lens starts,
--- makes them more exact.
local function matches_server(client, buffer)
  return function(now)
    local heat = t.ask(client, buffer, 'warplens/heat')
    local lines = vim.tbl_filter(function(own)
      return own.share >= SMALLEST_SHARE
    end, type(heat) == 'table' and heat.lines or {})
    return #lines == vim.tbl_count(now) and vim.iter(lines):all(function(own)
      return now[own.line + 1]
    end)
  end
end

local function press(keys)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
end

t.case('predicted shares have highlight groups of their own', function()
  local buffer = t.open(LISTING)
  local instructions = {}
  for _, line in ipairs(t.instructions(buffer)) do
    instructions[line + 1] = true
  end
  for line, group in pairs(wait_for_signs(buffer)) do
    assert(instructions[line], ('a sign in line %d, which has no instruction'):format(line))
    assert(vim.startswith(group, 'WarplensPredictedHeat'), group)
  end
end)

t.case('signs follow the GPU and edits', function()
  local buffer, client = t.open(LISTING)
  local is_right = matches_server(client, buffer)
  local before = wait_for_signs(buffer, is_right)
  -- The latencies of this architecture's instructions on that GPU are unknown.
  vim.cmd.WarplensGpu('v100')
  t.wait('other signs, or none', function()
    return not vim.deep_equal(before, signs(buffer))
  end)
  vim.cmd.WarplensGpu('auto')
  before = wait_for_signs(buffer, is_right)
  -- An inserted line moves the signs at once; deleting a hot instruction changes the shares.
  local hottest = require('warplens.heat').get(buffer)
  table.sort(hottest, function(a, b)
    return a.share > b.share
  end)
  local line = hottest[1].line
  vim.api.nvim_buf_set_lines(buffer, line, line + 1, true, {})
  wait_for_signs(buffer, function(now)
    return not vim.deep_equal(before, now)
  end)
  vim.cmd.undo()
  wait_for_signs(buffer, is_right)
  vim.bo[buffer].modified = false
end)

t.case(':WarplensHot lists the ten hottest, the hottest first', function()
  local buffer = t.open(LISTING)
  wait_for_signs(buffer)
  local window = vim.api.nvim_get_current_win()
  vim.cmd.WarplensHot()
  local list = vim.fn.getloclist(window, { items = 0, title = 0 })
  t.equal(10, #list.items, 'items')
  assert(list.title:find('predicted', 1, true), list.title)
  local last = math.huge
  for _, item in ipairs(list.items) do
    t.equal(buffer, item.bufnr, 'the buffer')
    local share = tonumber(item.text:match('^([%d.]+) %%'))
    assert(share and share <= last, item.text)
    last = share
    local text = vim.api.nvim_buf_get_lines(buffer, item.lnum - 1, item.lnum, true)[1]
    assert(item.text:find(text:match('%*/%s+(.-)%s*;'), 1, true), item.text .. ' is not of ' .. text)
    assert(item.text:find('of the predicted time of sgemm16', 1, true), item.text)
    assert(not item.text:find('/*', 1, true), item.text)
  end
  vim.cmd.lclose()
end)

t.case(':WarplensHot covers all of a large listing, not only the visible lines', function()
  local lines = vim.fn.readfile(t.path(LISTING))
  local start = vim.iter(ipairs(lines)):find(function(_, line)
    return line:find('Function :', 1, true)
  end)
  local all = vim.list_slice(lines, 1, start - 1)
  for number = 1, 8 do
    for line = start, #lines do
      all[#all + 1] = (lines[line]:gsub('sgemm16', 'sgemm16_' .. number))
    end
  end
  local name = vim.fn.tempname() .. '.nvsass'
  vim.fn.writefile(all, name)
  vim.cmd.edit(name)
  local buffer, window = vim.api.nvim_get_current_buf(), vim.api.nvim_get_current_win()
  assert(#all > 5000, 'a large one')
  wait_for_signs(buffer)
  vim.cmd.WarplensHot()
  local items = t.wait('a list', function()
    local list = vim.fn.getloclist(window, { items = 0 }).items
    return #list == 10 and list[1].bufnr == buffer and list
  end)
  -- Each of the eight kernels has the same hottest line.
  local last = vim.iter(items):fold(0, function(most, item)
    return math.max(most, item.lnum)
  end)
  assert(last > #all * 7 / 8, ('the last of the list is line %d of %d'):format(last, #all))
  vim.cmd.lclose()
end)

t.case(']h and [h go from one hot spot to the next', function()
  local buffer = t.open(LISTING)
  wait_for_signs(buffer)
  local hot = vim.iter(require('warplens.heat').get(buffer)):filter(function(own)
    return own.share >= 0.05
  end):map(function(own)
    return own.line
  end):totable()
  assert(#hot > 1, 'hot lines')
  press('gg]h')
  t.equal(hot[1], t.place()[1], 'the first')
  press(']h')
  t.equal(hot[2], t.place()[1], 'the next')
  press('[h')
  t.equal(hot[1], t.place()[1], 'the previous')
  press('[h')
  t.equal(hot[#hot], t.place()[1], 'round the start')
  press(']h')
  t.equal(hot[1], t.place()[1], 'round the end')
  press('2[h')
  t.equal(hot[#hot - 1], t.place()[1], 'two at once')
  vim.o.wrapscan = false
  press('gg[h')
  t.equal({ 'warplens: there is no hot line above' }, said, 'messages')
  vim.o.wrapscan = true
  said = {}
  press(']h')
  press('<C-O>')
  t.equal(0, t.place()[1], 'where the jump came from')
end)

--- Opens a copy of the listing.
local function copy()
  local name = vim.fn.tempname() .. '.nvsass'
  vim.fn.writefile(vim.fn.readfile(t.path(LISTING)), name)
  vim.cmd.edit(name)
  local buffer = vim.api.nvim_get_current_buf()
  t.wait('the client', function()
    return #vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' }) > 0
  end)
  return buffer
end

t.case('mappings of the user stay, and the option removes ours', function()
  vim.keymap.set('n', ']h', '<Nop>', { desc = 'mine' })
  copy()
  t.equal('mine', vim.fn.maparg(']h', 'n', false, true).desc, ']h')
  assert(vim.fn.maparg('[h', 'n') ~= '', '[h is free')
  vim.keymap.del('n', ']h')
  vim.g.warplens = { maps = false }
  copy()
  t.equal('', vim.fn.maparg('[h', 'n'), '[h')
  vim.g.warplens = nil
end)

t.case('predicted heat can be switched off, and so can all heat', function()
  for _, wanted in ipairs({ 'measured', false }) do
    vim.g.warplens = { heat = wanted }
    local buffer = copy()
    t.wait('hints', function()
      return #vim.lsp.inlay_hint.get({ bufnr = buffer }) > 0
    end)
    vim.wait(300)
    t.equal({}, signs(buffer), 'signs')
    said = {}
    vim.cmd.WarplensHot()
    t.equal(1, #said, 'messages')
  end
  vim.g.warplens = nil
end)

t.finish()
