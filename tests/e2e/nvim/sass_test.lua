--- `:WarplensSass` compiles PTX and shows its listing in a window next to it. Scripts replace the vendor's tools.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local PTX = 'tests/e2e/stand_in/scale.ptx'
--- Line of the store in the PTX, counted from 1.
local STORE = 29

local LineMap = require('warplens.line_map')

t.case('lines correspond to each other, and edits move them', function()
  local functions = {
    { name = 'a', listing = { 10, 20 }, source = { 2, 6 } },
    { name = 'b', listing = { 20, 30 }, source = { 6, 10 } },
  }
  local map = LineMap.new({ { 11, 3 }, { 13, 4 }, { 15, 3 }, { 21, 7 } }, functions)
  t.equal({ 11, 15 }, map:others('source', 3), 'the counterparts of a line')
  t.equal(13, map:beside('source', 5), 'a line without a counterpart')
  t.equal(20, map:beside('source', 6), 'the first line of a function')
  t.equal(nil, map:beside('listing', 9), 'a line outside of all functions')
  map:edited(4, 5, 7)
  t.equal({ {}, { 3 }, { 9 } }, { map:others('listing', 13), map:others('listing', 11), map:others('listing', 21) }, 'moved')
end)

local function tool(name)
  return t.path('tests/e2e/stand_in/' .. name)
end

vim.lsp.config('warplens', { init_options = { ptxas = { path = tool('ptxas') }, disassembler = tool('nvdisasm') } })

--- Runs `action`, waits for a message, and returns it.
local function said_of(action)
  local said
  local notify = vim.notify
  vim.notify = function(text)
    said = text
  end
  action()
  local text = t.wait('something to be said', function()
    return said
  end)
  vim.notify = notify
  return text
end

t.case('without trust no compiler runs', function()
  t.open(PTX)
  local said = said_of(function()
    vim.cmd.WarplensSass()
  end)
  assert(said:find('not trusted') and said:find('`disassemble` in :help warplens%-options'), said)
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  t.wait('the end of the server', function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! %bwipeout!')
end)

vim.g.warplens = { disassemble = { '/' } }

--- The window that shows the listing.
local function listing_window()
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)):find('^warplens%-sass:') ~= nil
  end)
end

--- The texts of the highlighted lines of a buffer.
local function lit(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.views']
  return vim.tbl_map(function(mark)
    return vim.trim(vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, true)[1])
  end, vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {}))
end

t.case('the listing opens next to the text, and both stay in sync', function()
  local ptx = t.open(PTX)
  local own = vim.api.nvim_get_current_win()
  vim.cmd.WarplensSass()
  local window = t.wait('the listing', listing_window)
  t.equal(own, vim.api.nvim_get_current_win(), 'the window of the cursor')
  local listing = vim.api.nvim_win_get_buf(window)
  t.equal('nvsass', vim.bo[listing].filetype, 'filetype')
  t.equal(false, vim.bo[listing].modifiable, 'modifiable')
  t.equal(false, vim.wo[window].wrap, 'wrap')
  local top = vim.fn.getwininfo(window)[1].topline
  local first = table.concat(vim.api.nvim_buf_get_lines(listing, top - 1, top + 2, false), '\n')
  assert(first:find('/*0000*/', 1, true), 'the window begins with ' .. first)
  t.wait('hints in the listing', function()
    return #vim.lsp.inlay_hint.get({ bufnr = listing }) > 0
  end)
  vim.api.nvim_win_set_cursor(own, { STORE, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = ptx })
  local store = lit(listing)
  assert(#store == 1 and store[1]:find('STG.E', 1, true), vim.inspect(store))
  local line = vim.api.nvim_win_get_cursor(window)[1]
  assert(vim.api.nvim_buf_get_lines(listing, line - 1, line, true)[1]:find('STG.E', 1, true), line)
  -- From the listing back to the PTX.
  vim.api.nvim_set_current_win(window)
  local multiply = t.find(listing, ' FMUL ')
  vim.api.nvim_win_set_cursor(window, { multiply + 1, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = listing })
  t.equal({ 'mul.f32 %f3, %f1, %f2;' }, lit(ptx), 'the highlighted lines')
  t.equal({}, lit(listing), 'its own window')
  vim.api.nvim_set_current_win(own)
end)

t.case('an error of ptxas is a diagnostic until its line is edited', function()
  local ptx = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(ptx, 0, 0, true, { '// ü' })
  vim.api.nvim_buf_set_lines(ptx, STORE, STORE + 1, true, { '    st.global.f32 [%rd4], %wrong;' })
  local said = said_of(function()
    vim.cmd.WarplensSass()
  end)
  assert(said:find("line 30: Unknown symbol '%wrong'; see its diagnostics", 1, true), said)
  local function told()
    return vim.tbl_filter(function(found)
      return found.source == 'ptxas'
    end, vim.diagnostic.get(ptx))
  end
  local found = t.wait('a diagnostic', function()
    return told()[1]
  end)
  t.equal({ STORE, "Unknown symbol '%wrong'" }, { found.lnum, found.message }, 'the diagnostic')
  assert(listing_window(), 'the listing of before stays')
  vim.api.nvim_buf_set_lines(ptx, STORE, STORE + 1, true, { '    st.global.f32 [%rd4], %f3;' })
  t.wait('the end of the diagnostic', function()
    return #told() == 0
  end)
end)

t.case('the listing is generated again once typing pauses', function()
  local ptx = vim.api.nvim_get_current_buf()
  local listing = vim.api.nvim_win_get_buf(assert(listing_window()))
  local tick = vim.api.nvim_buf_get_changedtick(listing)
  vim.api.nvim_buf_set_lines(ptx, 0, 1, true, { '// another' })
  t.wait('a new listing', function()
    return vim.api.nvim_buf_get_changedtick(listing) > tick
  end)
end)

t.case('a compilation can be stopped', function()
  local ptx = vim.api.nvim_get_current_buf()
  vim.api.nvim_buf_set_lines(ptx, 0, 1, true, { '// slow' })
  vim.cmd.WarplensSass()
  local function stop()
    vim.cmd.WarplensSass({ bang = true })
  end
  t.equal('warplens: stopped compiling', said_of(stop), 'what is said')
  t.equal('warplens: nothing is being compiled', said_of(stop), 'what is said then')
  vim.bo[ptx].modified = false
end)

t.case('PTX is compiled again when it is saved, if that is set', function()
  local copy = vim.fn.tempname() .. '.ptx'
  vim.fn.writefile(vim.fn.readfile(t.path(PTX)), copy)
  vim.cmd('silent! %bwipeout!')
  vim.cmd.edit(copy)
  local ptx = vim.api.nvim_get_current_buf()
  t.wait('a client', function()
    return vim.lsp.get_clients({ bufnr = ptx, name = 'warplens' })[1]
  end)
  require('warplens.settings').change({ ptxas = { onSave = true } })
  vim.cmd.WarplensSass()
  local listing = vim.api.nvim_win_get_buf(t.wait('the listing', listing_window))
  vim.api.nvim_buf_set_lines(ptx, STORE - 1, STORE, true, { '    st.global.f32 [%rd4], %wrong;' })
  vim.cmd.write({ mods = { silent = true } })
  t.wait('a diagnostic', function()
    return #vim.tbl_filter(function(found)
      return found.source == 'ptxas'
    end, vim.diagnostic.get(ptx)) == 1
  end)
  -- The highlight disappears together with the listing.
  vim.api.nvim_buf_delete(listing, { force = true })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = ptx })
  t.equal({}, lit(ptx), 'the highlighted lines')
end)

t.finish()
