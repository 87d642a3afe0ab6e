--- Navigation from a register to its definition and its references, with Neovim's keys.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'

t.case('the definition of a register is the instruction that writes it', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'R11, SR_CTAID.X')
  t.go(buffer, 'LEA R4, R11, R6', 'R11')
  vim.lsp.buf.definition()
  t.wait('the cursor at the definition', function()
    return vim.deep_equal({ line, byte }, t.place())
  end)
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer')
end)

t.case('Ctrl-] does the same, and Ctrl-T goes back', function()
  local buffer = t.open(LISTING)
  local line, byte = t.find(buffer, 'R11, SR_CTAID.X')
  local from = { t.go(buffer, 'LEA R4, R11, R6', 'R11') }
  local function press(key)
    vim.api.nvim_feedkeys(vim.keycode(key), 'xt', false)
  end
  press('<C-]>')
  t.equal({ line, byte }, t.place(), 'the definition')
  press('<C-T>')
  t.equal(from, t.place(), 'the place before')
end)

t.case('the definition of a label is its declaration', function()
  local buffer = t.open('tests/corpus/sm_61/sgemm.nvdisasm-hex-c.txt')
  local line = t.find(buffer, '.L_x_2:')
  t.go(buffer, '`(.L_x_2)', '.L_x_2')
  vim.lsp.buf.definition()
  t.wait('the cursor at the label', function()
    return t.place()[1] == line
  end)
end)

t.case('references list the instructions that write and read a register', function()
  local buffer = t.open(LISTING)
  local written, read = t.find(buffer, 'S2R R11, SR_CTAID.X'), t.find(buffer, 'LEA R4, R11, R6')
  t.go(buffer, 'LEA R4, R11, R6', 'R11')
  local found
  vim.lsp.buf.references(nil, {
    on_list = function(list)
      found = vim.iter(list.items):map(function(item)
        return item.lnum - 1
      end):totable()
    end,
  })
  t.wait('a list', function()
    return found
  end)
  assert(vim.list_contains(found, written) and vim.list_contains(found, read), vim.inspect(found))
end)

t.finish()
