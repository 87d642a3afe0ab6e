--- The server receives settings from the configuration at its start and while it runs.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
local REFRESH = 'workspace/inlayHint/refresh'

-- Set before the server starts, as in a user's init.lua.
vim.lsp.config('warplens', { settings = { warplens = { hints = { issueCycle = true } } } })

--- The positions and labels of all of Neovim's hints, and the tooltip of the first one.
local function shown(buffer)
  local held = vim.lsp.inlay_hint.get({ bufnr = buffer })
  local all = vim.iter(held):map(function(entry)
    return vim.inspect({ entry.inlay_hint.position, entry.inlay_hint.label })
  end):totable()
  if held[1] then
    local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
    table.insert(all, t.tooltip(client, buffer, held[1].inlay_hint))
  end
  return all
end

--- Waits until Neovim has a complete set of hints other than `before`, and returns it.
local function wait_for_change(buffer, before)
  local enough = #t.instructions(buffer)
  return t.wait('other hints', function()
    local now = shown(buffer)
    return #now >= enough and not vim.deep_equal(before, now) and now
  end)
end

local function wait_for_hints(buffer)
  return wait_for_change(buffer, {})
end

t.case('vim.lsp.config is merged into the settings', function()
  local _, client = t.open(LISTING)
  t.equal({ gpu = '', hints = { issueCycle = true } }, client.settings.warplens, 'settings')
end)

t.case(':WarplensGpu changes the hints at once, and back', function()
  local buffer = t.open(LISTING)
  local usual = wait_for_hints(buffer)
  vim.cmd.WarplensGpu('h200')
  local other = wait_for_change(buffer, usual)
  assert(vim.iter(other):any(function(hint)
    return hint:find('H200')
  end), other[1])
  t.equal('h200', require('warplens.settings').gpu(), 'the setting')
  vim.cmd.WarplensGpu('auto')
  t.wait('the hints as they were', function()
    return vim.deep_equal(usual, shown(buffer))
  end)
end)

--- The labels that are drawn, which may differ from the hints that Neovim stores.
local function drawn(buffer)
  local namespace = vim.api.nvim_get_namespaces()['nvim.lsp.inlayhint']
  local marks = vim.api.nvim_buf_get_extmarks(buffer, namespace, 0, -1, { details = true })
  return vim.iter(marks):map(function(mark)
    return vim.inspect(mark[4].virt_text)
  end):totable()
end

t.case('a redraw while new hints are requested does not keep the old ones', function()
  local buffer = t.open(LISTING)
  wait_for_hints(buffer)
  vim.cmd.redraw()
  local before = drawn(buffer)
  assert(#before > 0, 'hints are drawn')
  local refresh = vim.lsp.handlers[REFRESH]
  vim.lsp.handlers[REFRESH] = function(...)
    local answer = refresh(...)
    vim.cmd.redraw()
    return answer
  end
  local function wait_for_drawn(what, is_right)
    t.wait(what, function()
      vim.cmd.redraw()
      return is_right(drawn(buffer))
    end)
  end
  vim.cmd.WarplensGpu('h200')
  vim.cmd.WarplensGpu('v100')
  wait_for_drawn('other hints on the screen', function(now)
    return #now == #before and not vim.deep_equal(before, now)
  end)
  vim.cmd.WarplensGpu('auto')
  wait_for_drawn('the hints as they were', function(now)
    return vim.deep_equal(before, now)
  end)
  vim.lsp.handlers[REFRESH] = refresh
end)

t.case('another architecture gives other numbers', function()
  local buffer = t.open('tests/corpus/sm_35/sgemm.cuobjdump-sass.txt')
  local function labels()
    return vim.iter(vim.lsp.inlay_hint.get({ bufnr = buffer })):map(function(entry)
      return vim.inspect(entry.inlay_hint.label)
    end):totable()
  end
  wait_for_hints(buffer)
  local usual = labels()
  vim.cmd.WarplensGpu('sm_61')
  t.wait('other labels', function()
    local now = labels()
    return #now >= #t.instructions(buffer) and not vim.deep_equal(usual, now)
  end)
  vim.cmd.WarplensGpu('auto')
end)

t.case('a kind of hint can be switched off while the server runs', function()
  local buffer = t.open(LISTING)
  local both = wait_for_hints(buffer)
  require('warplens.settings').change({ hints = { issueCycle = false } })
  t.wait('fewer hints', function()
    local now = #shown(buffer)
    return now > 0 and now < #both
  end)
  require('warplens.settings').change({ hints = { issueCycle = true } })
  t.wait('as many as before', function()
    return #shown(buffer) == #both
  end)
end)

t.case('control codes are shown in the notation that is set', function()
  local buffer = t.open(LISTING)
  wait_for_hints(buffer)
  for notation, code in pairs({ cuassembler = 'B%-%-%-%-%-%-:R%-:W0:%-:S01', maxas = '%-%-:%-:1:%-:1' }) do
    require('warplens.settings').change({ hints = { controlCode = notation } })
    t.wait('a code of ' .. notation, function()
      return table.concat(shown(buffer), '\n'):find(code)
    end)
  end
  require('warplens.settings').change({ hints = { controlCode = 'off' } })
  t.wait('none', function()
    return not table.concat(shown(buffer), '\n'):find('%-%-:%-:1:%-:1')
  end)
end)

t.case('the model of issue cycles can be chosen while the server runs', function()
  local buffer, client = t.open(LISTING)
  wait_for_hints(buffer)
  --- The models that the tooltips of issue cycles name, each once.
  local function models()
    local said = {}
    for _, hint in ipairs(t.ask(client, buffer, 'textDocument/inlayHint', { range = t.everything(buffer) })) do
      if vim.inspect(hint.label):find('@') then
        said[t.tooltip(client, buffer, hint):match('Model: (%a+)')] = true
      end
    end
    return vim.tbl_keys(said)
  end
  t.equal({ 'pipeline' }, models(), 'where the GPU is calibrated')
  require('warplens.settings').change({ model = 'paper' })
  t.equal({ 'paper' }, models(), 'as the setting says')
  require('warplens.settings').change({ model = 'auto' })
end)

t.case('either kind of lens can be switched off while the server runs', function()
  local buffer, client = t.open(LISTING)
  local function lenses()
    return vim.iter(t.ask(client, buffer, 'textDocument/codeLens')):map(function(lens)
      return lens.data.isOfLoop and 'loop' or 'kernel'
    end):totable()
  end
  t.equal({ 'kernel', 'loop' }, lenses(), 'lenses at first')
  require('warplens.settings').change({ codeLens = false })
  t.equal({ 'loop' }, lenses(), 'lenses of loops alone')
  require('warplens.settings').change({ loopLens = false })
  t.equal({}, lenses(), 'no lenses')
  require('warplens.settings').change({ codeLens = true, loopLens = true })
end)

t.case('an unknown GPU leaves the setting unchanged, and the message lists the known ones', function()
  local buffer, client = t.open(LISTING)
  wait_for_hints(buffer)
  vim.cmd.WarplensGpu('h200')
  local before = t.wait('hints of the H200', function()
    local now = shown(buffer)
    return table.concat(now):find('H200') and now
  end)
  local said
  local notify = vim.notify
  vim.notify = function(text)
    said = text
  end
  vim.cmd.WarplensGpu('voodoo2')
  vim.notify = notify
  assert(said and said:find('voodoo2', 1, true) and said:lower():find('h100'), said)
  t.equal('h200', require('warplens.settings').gpu(), 'the setting of new servers')
  t.equal('h200', client.settings.warplens.gpu, 'the setting of the client')
  t.equal(before, shown(buffer), 'hints')
  -- The setting takes a name in any spelling.
  vim.cmd.WarplensGpu('sm_90a')
  t.equal('sm_90a', require('warplens.settings').gpu(), 'the setting')
  vim.cmd.WarplensGpu('auto')
end)

t.case('GPUs are completed', function()
  t.open(LISTING)
  local all = vim.fn.getcompletion('WarplensGpu ', 'cmdline')
  assert(#all > 10 and vim.list_contains(all, 'auto') and vim.list_contains(all, 'sm_75'), vim.inspect(all))
  t.equal({ 'v100' }, vim.fn.getcompletion('WarplensGpu v1', 'cmdline'), 'those that begin so')
end)

t.case('errors in warplens.toml are shown once it is written, until they are fixed', function()
  local folder = vim.fn.resolve(vim.fn.tempname())
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile({ 'gpu = "h200"' }, folder .. '/warplens.toml')
  vim.fn.writefile(vim.fn.readfile(t.path(LISTING)), folder .. '/own.nvsass')
  vim.cmd.edit(folder .. '/own.nvsass')
  wait_for_hints(vim.api.nvim_get_current_buf())
  vim.cmd.edit(folder .. '/warplens.toml')
  local buffer = vim.api.nvim_get_current_buf()
  local function write(lines)
    vim.api.nvim_buf_set_lines(buffer, 0, -1, true, lines)
    vim.cmd.write({ mods = { silent = true } })
  end
  write({ 'gpu = "h200"', 'limits = 1', '[[launch]]' })
  local found = t.wait('findings in warplens.toml', function()
    local all = vim.diagnostic.get(buffer)
    return #all > 0 and all
  end)
  t.equal({ 1, 2, 2, 2 }, vim.iter(found):map(function(finding)
    return finding.lnum
  end):totable(), 'their lines')
  write({ 'gpu = "h200"' })
  t.wait('no findings', function()
    return #vim.diagnostic.get(buffer) == 0
  end)
  vim.cmd.bwipeout({ bang = true })
end)

t.case('warplens.toml is completed, explained, coloured and fixed while it is typed', function()
  local folder = vim.fn.resolve(vim.fn.tempname())
  vim.fn.mkdir(folder, 'p')
  vim.fn.writefile({ 'listing = []', 'gpu = "t4"', '' }, folder .. '/warplens.toml')
  vim.fn.writefile({ 'a = 1' }, folder .. '/other.toml')
  vim.cmd.edit(folder .. '/warplens.toml')
  local buffer = vim.api.nvim_get_current_buf()
  t.equal('toml', vim.bo[buffer].filetype, 'the filetype')
  local client = t.wait('a client of warplens.toml', function()
    return vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
  end)
  t.wait('a finding', function()
    return #vim.diagnostic.get(buffer) == 1
  end)
  local function at(line, character)
    return { position = { line = line, character = character } }
  end
  local hover = t.ask(client, buffer, 'textDocument/hover', at(1, 1))
  assert(hover.contents.value:find('GPU that the numbers are for', 1, true), vim.inspect(hover))
  local found = t.ask(client, buffer, 'textDocument/completion', at(2, 0))
  local labels = vim.iter(found.items or found):map(function(item)
    return item.label
  end):totable()
  assert(vim.list_contains(labels, 'listings') and vim.list_contains(labels, '[[launch]]'), vim.inspect(labels))
  assert(#t.ask(client, buffer, 'textDocument/semanticTokens/full').data > 0, 'no colours')
  local range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 3 } }
  local actions = t.ask(client, buffer, 'textDocument/codeAction', { range = range, context = { diagnostics = {} } })
  t.equal('Change `listing` to `listings`', actions[1].title, 'the fix')
  vim.lsp.util.apply_workspace_edit(actions[1].edit, client.offset_encoding)
  t.equal('listings = []', vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1], 'the text')
  t.wait('no findings', function()
    return #vim.diagnostic.get(buffer) == 0
  end)
  -- The server does not handle other TOML files.
  vim.cmd.edit({ folder .. '/other.toml', bang = true })
  t.equal({}, vim.lsp.get_clients({ bufnr = 0, name = 'warplens' }), 'clients')
  vim.cmd.bwipeout({ bang = true })
  vim.cmd.bwipeout({ buffer, bang = true })
end)

t.finish()
