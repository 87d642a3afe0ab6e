--- Completion while typing: Neovim's built-in completion, if g:warplens enables it.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
local SOURCE = 'tests/corpus/sm_75/sgemm.cuassembler.dsass'

--- Starts another Neovim on a copy of a file of the repository, or on an empty file, with the cursor at the end.
---@param relative? string
---@param options string
local function opened(relative, options)
  local copy = vim.fn.tempname() .. (relative and relative:match('%.dsass$') or '.nvsass')
  vim.fn.writefile(relative and vim.fn.readfile(t.path(relative)) or {}, copy)
  local other = t.another(('vim.g.warplens = %s; vim.o.columns = 150'):format(options))
  other.lua(('vim.cmd.edit(%q)'):format(copy))
  t.wait('a client', function()
    return other.lua([[
      local client = vim.lsp.get_clients({ bufnr = 0 })[1]
      return client ~= nil and client.initialized == true
    ]])
  end)
  return other
end

--- The words of the visible menu.
local function menu(other)
  return other.lua([[
    local info = vim.fn.complete_info({ 'pum_visible', 'items' })
    return info.pum_visible == 1 and vim.iter(info.items):map(function(item)
      return item.word
    end):totable() or {}
  ]])
end

local function wait_for_menu(other, word)
  return t.wait('a menu with ' .. word, function()
    local words = menu(other)
    return vim.list_contains(words, word) and words
  end)
end

t.case('opcodes, and the modifiers after each dot, are proposed while typing', function()
  local other = opened(LISTING, '{ completion = true }')
  other.lua("vim.fn.search('EXIT'); vim.cmd.stopinsert()")
  other.type('o', 100)
  other.type('SHF')
  wait_for_menu(other, 'SHF')
  other.type('.')
  local words = wait_for_menu(other, 'L')
  assert(vim.list_contains(words, 'R') and not vim.list_contains(words, 'SHF'), vim.inspect(words))
  -- The next modifiers are proposed without the one that is already there.
  other.type('R.')
  words = t.wait('a menu without R', function()
    local now = menu(other)
    return #now > 0 and not vim.list_contains(now, 'R') and now
  end)
  assert(vim.list_contains(words, 'HI'), vim.inspect(words))
  -- Only the typed text is inserted: no proposal was accepted.
  t.equal('SHF.R.', vim.trim(other.lua('return vim.api.nvim_get_current_line()')), 'the line')
  other.stop()
end)

t.case('an accepted control code replaces the part of it that was typed', function()
  local other = opened(SOURCE, '{ completion = true }')
  other.lua("vim.cmd('normal! G')")
  other.type('o', 100)
  other.type('[B')
  wait_for_menu(other, '[B------:R-:W-:-:S01]')
  other.press('<C-n>')
  vim.wait(200)
  other.press('<C-y>')
  t.wait('one bracket', function()
    return vim.trim(other.lua('return vim.api.nvim_get_current_line()')) == '[B------:R-:W-:-:S01]'
  end)
  other.stop()
end)

t.case('without the option, nothing is proposed while typing', function()
  local other = opened(LISTING, '{}')
  other.type('o', 100)
  other.type('FADD.')
  vim.wait(500)
  t.equal({}, menu(other), 'the menu')
  other.stop()
end)

t.case('a kernel is proposed in an empty file', function()
  local other = opened(nil, '{ completion = true }')
  other.type('i', 100)
  other.type('ker')
  local words = wait_for_menu(other, 'kernel (maxas)')
  for _, assembler in ipairs({ 'CuAssembler', 'TuringAs', 'KeplerAs' }) do
    assert(vim.list_contains(words, ('kernel (%s)'):format(assembler)), vim.inspect(words))
  end
  other.stop()
end)

t.finish()
