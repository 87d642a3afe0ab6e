--- `:WarplensCycles` reports the cycles of the selected lines.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
--- Lines of 0x0010, 0x0080 and 0x00a0 in the first block, counted from 1.
local FIRST, MIDDLE, LAST = 9, 23, 27

--- Records the messages from now on, printed or notified. Returns a function that gives them as one text.
local function listen()
  vim.cmd.messages('clear')
  local notified = {}
  vim.notify = function(text)
    notified[#notified + 1] = text
  end
  return function()
    return vim.trim(vim.fn.execute('messages') .. '\n' .. table.concat(notified, '\n'))
  end
end

--- Waits until there is a message, and returns it.
local function wait_for(said)
  return t.wait('a message', function()
    local text = said()
    return text ~= '' and text
  end)
end

--- The message of the command for a range of lines.
local function said_of(first, last)
  local said = listen()
  vim.cmd({ cmd = 'WarplensCycles', range = { first, last } })
  return wait_for(said)
end

local function cycles_in(text)
  return tonumber(text:match('(%d+) cycles?,')) or error('no cycles in: ' .. text)
end

--- Waits for the floating window, and returns it.
local function float()
  return t.wait('a floating window', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ''
    end)
  end)
end

t.case('a range of lines has cycles, and more lines have more', function()
  t.open(LISTING)
  local short, long = said_of(FIRST, MIDDLE), said_of(FIRST, LAST)
  assert(not short:find('\n'), short)
  assert(cycles_in(long) > cycles_in(short), short .. ' and ' .. long)
end)

t.case('what is selected is timed', function()
  t.open(LISTING)
  local expected = said_of(FIRST, LAST)
  local said = listen()
  local keys = ('%dGV%dG:WarplensCycles<CR>'):format(FIRST, LAST)
  vim.api.nvim_feedkeys(vim.keycode(keys), 'xt', false)
  t.equal(expected, wait_for(said), 'the line')
end)

t.case('a single line is not enough, and neither are lines of no kernel', function()
  t.open(LISTING)
  for _, range in ipairs({ { FIRST, FIRST }, { 1, 4 } }) do
    local text = said_of(range[1], range[2])
    assert(text:find('two instructions'), text)
  end
  vim.api.nvim_win_set_cursor(0, { FIRST, 0 })
  local said = listen()
  vim.cmd.WarplensCycles()
  assert(wait_for(said):find('two instructions'), said())
end)

t.case('with ! a window says what the cycles are made of', function()
  local buffer = t.open(LISTING)
  local cycles = cycles_in(said_of(FIRST, LAST))
  local ask = { cmd = 'WarplensCycles', range = { FIRST, LAST }, bang = true }
  vim.cmd(ask)
  local window = float()
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  for _, part in ipairs({ '%f[%d]' .. cycles .. '%f[%D]', 'H[12]00', 'pipeline' }) do
    assert(text:find(part), ('no "%s" in: %s'):format(part, text))
  end
  t.equal(buffer, vim.api.nvim_get_current_buf(), 'the buffer under the window')
  vim.cmd(ask)
  t.wait('the cursor in the window', function()
    return vim.api.nvim_get_current_win() == window
  end)
  vim.api.nvim_win_close(window, true)
end)

t.case('a line that is longer than the command line is cut', function()
  t.open(LISTING)
  local whole, columns = said_of(FIRST, LAST), vim.o.columns
  vim.o.columns = 40
  local cut = said_of(FIRST, LAST)
  vim.o.columns = columns
  assert(vim.fn.strdisplaywidth(whole) > 40, whole)
  assert(vim.fn.strdisplaywidth(cut) < 40 and cut:find('…$'), cut)
  t.equal(whole:sub(1, #cut - #'…'), (cut:gsub('…$', '')), 'its beginning')
end)

t.case('a message says that no server can time the lines', function()
  vim.cmd.enew()
  assert(said_of(1, 1):find('no server'), 'no server')
  local function older(dispatchers)
    local closing = false
    return {
      request = function(method, _, reply)
        reply(nil, method == 'initialize' and { capabilities = {} } or vim.NIL)
        return true, 1
      end,
      notify = function(method)
        if method == 'exit' then
          closing = true
          dispatchers.on_exit(0, 0)
        end
        return true
      end,
      is_closing = function()
        return closing
      end,
      terminate = function()
        closing = true
      end,
    }
  end
  vim.lsp.start({ name = 'warplens', cmd = older, root_dir = vim.fn.tempname() }, { bufnr = 0 })
  t.wait('the older server', function()
    return #vim.lsp.get_clients({ bufnr = 0, name = 'warplens' }) > 0
  end)
  local text = said_of(1, 1)
  assert(text:find('cannot time selections'), text)
end)

t.finish()
