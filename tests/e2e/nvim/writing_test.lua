--- Features for writing SASS, with Neovim's keys.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local SOURCE = 'tests/corpus/sm_35/sgemm.kepleras.sass'

local function line(buffer, number)
  return vim.api.nvim_buf_get_lines(buffer, number, number + 1, true)[1]
end

local function has(buffer, text)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n'):find(text, 1, true) ~= nil
end

t.case('a label is renamed at its declaration and at the branches to it', function()
  local buffer = t.open(SOURCE)
  t.go(buffer, 'BRA TARGET1', 'TARGET1')
  vim.lsp.buf.rename('AFTER_LOOP')
  t.wait('the new name', function()
    return has(buffer, 'BRA AFTER_LOOP;')
  end)
  assert(has(buffer, '\nAFTER_LOOP:') and not has(buffer, 'TARGET1'), 'the old name is left somewhere')
end)

t.case('a register is renamed within the life of its value, or a message says why not', function()
  local buffer = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local number = t.go(buffer, 'LDC R0, c[0x0][0x230]', 'R0')
  vim.lsp.buf.rename('R30')
  t.wait('the new register', function()
    return line(buffer, number):find('LDC R30, c[0x0][0x230]', 1, true)
  end)
  assert(has(buffer, 'ISETP.GE.AND P0, PT, R30, 0x1, PT'), 'what reads it follows')
  t.go(buffer, 'LDC R30, c[0x0][0x230]', 'R30')
  local said
  vim.notify = function(text)
    said = text
  end
  vim.lsp.buf.rename('P0')
  t.wait('a refusal', function()
    return said and said:find('not a register of this kind', 1, true)
  end)
end)

t.case('a name of a mapping is renamed with all its uses', function()
  local buffer = t.open(SOURCE)
  t.go(buffer, 'MOV R20, param_5', 'param_5')
  vim.lsp.buf.rename('rows')
  t.wait('the new name', function()
    return has(buffer, 'MOV R20, rows;')
  end)
  assert(has(buffer, 'rows : c[0x0][0x160]') and not has(buffer, 'param_5'), 'the old name is left somewhere')
end)

t.case('formatting moves a line back to its columns', function()
  local buffer = t.open(SOURCE)
  local number = t.find(buffer, 'MOV R20, param_5')
  local before = line(buffer, number)
  vim.lsp.buf.format({ timeout_ms = t.PATIENCE })
  local formatted = line(buffer, number)
  vim.api.nvim_buf_set_lines(buffer, number, number + 1, true, { (before:gsub('%s+MOV', ' MOV'):gsub(', ', ',')) })
  vim.lsp.buf.format({ timeout_ms = t.PATIENCE })
  t.equal(formatted, line(buffer, number), 'the line')
end)

t.case('opcodes are proposed, with their pages on request', function()
  local buffer, client = t.open(SOURCE)
  local number = t.find(buffer, 'MOV R20, param_5')
  vim.api.nvim_buf_set_lines(buffer, number, number, true, { '-:-:-:-:00      FFM' })
  local place = { position = { line = number, character = 19 } }
  local found = t.ask(client, buffer, 'textDocument/completion', place)
  local item = vim.iter(found):find(function(item)
    return item.label == 'FFMA'
  end)
  local resolved = assert(client:request_sync('completionItem/resolve', item, t.PATIENCE, buffer)).result
  assert(resolved.documentation.value:find('FFMA', 1, true), vim.inspect(resolved))
  t.equal('v:lua.vim.lsp.omnifunc', vim.bo[buffer].omnifunc, 'what <C-x><C-o> asks')
end)

t.case('a fix changes a wrong opcode to the similar one', function()
  local buffer = t.open(SOURCE)
  local number = t.find(buffer, 'IMUL32I R21')
  vim.api.nvim_buf_set_lines(buffer, number, number + 1, true, { (line(buffer, number):gsub('IMUL32I', 'IMUL32II')) })
  t.wait('the finding', function()
    return #vim.diagnostic.get(buffer, { lnum = number }) > 0
  end)
  t.go(buffer, 'IMUL32II', 'IMUL32II')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.isPreferred
    end,
  })
  t.wait('the opcode that was meant', function()
    return has(buffer, 'IMUL32I R21')
  end)
end)

--- Applies the code action at the cursor whose title begins with `start`.
local function apply(start)
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return vim.startswith(action.title, start)
    end,
  })
end

t.case('a block is reordered, and the predicted gain is reported', function()
  local buffer = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  t.go(buffer, 'LEA R11, R11, R7, 0x4', 'LEA')
  local before = vim.api.nvim_buf_get_lines(buffer, 0, -1, true)
  apply('Reorder this block for latency (predicted ')
  t.wait('another order', function()
    return not vim.deep_equal(before, vim.api.nvim_buf_get_lines(buffer, 0, -1, true))
  end)
  t.equal(#before, vim.api.nvim_buf_line_count(buffer), 'the number of lines')
  local addresses = function(lines)
    return vim.iter(lines):map(function(text)
      return text:match('^%s*(/%*%x%x%x%x%*/)')
    end):totable()
  end
  t.equal(addresses(before), addresses(vim.api.nvim_buf_get_lines(buffer, 0, -1, true)), 'the addresses')
end)

t.case('registers are changed to avoid bank conflicts, with their encodings', function()
  local buffer = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local number = t.go(buffer, 'LEA R11, R11, R7, 0x4', 'R7')
  apply('Move 2 values out of register bank conflicts')
  t.wait('another register', function()
    return line(buffer, number):find('LEA R11, R11, R18, 0x4', 1, true)
  end)
  assert(line(buffer, number):find('0x000000120b0b7211', 1, true), 'the encoding says the old register')
end)

t.finish()
