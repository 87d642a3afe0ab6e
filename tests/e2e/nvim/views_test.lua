--- Costs of CUDA at its lines, and its PTX and SASS in windows next to it. Scripts replace the vendor's tools; if the
--- environment has a compiler, further cases run it.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local STAND_IN = 'tests/e2e/stand_in/'
local SOURCE = vim.fn.readfile(t.path(STAND_IN .. 'scale.cu'))
--- Line of the store in the source, counted from 1.
local STORE = 8
--- Length in bytes of the folder's path that the test cubin contains for its source.
local FOLDER_BYTES = 120

vim.g.warplens = { disassemble = { '/' } }

--- The messages so far.
local said = {}
vim.notify = function(text)
  said[#said + 1] = text
end

--- Writes the source and the tools into a folder. The disassembler names this source in its listing.
---@param folder string
---@param name string
---@return string path of the source
local function furnish(folder, name)
  vim.fn.mkdir(folder .. '/tools', 'p')
  local path = folder .. '/' .. name
  vim.fn.writefile(SOURCE, path)
  local tools = { 'nvcc', 'ptxas', 'nvdisasm', 'scale.cubin', 'scale.listing', 'tile.listing' }
  for _, tool in ipairs(vim.list_extend(tools, { 'scale_cu.cubin', 'scale_cu.ptx' })) do
    assert(vim.uv.fs_copyfile(t.path(STAND_IN .. tool), folder .. '/tools/' .. tool))
  end
  local listing = vim.iter(vim.fn.readfile(t.path(STAND_IN .. 'scale_cu.listing'))):map(function(line)
    return (line:gsub('/kernels/scale%.cu', (path:gsub('%%', '%%%%'))))
  end)
  vim.fn.writefile(listing:totable(), folder .. '/tools/scale_cu.listing')
  return path
end

--- Restarts the servers with these tools.
---@param nvcc string
---@param ptxas string
---@param disassembler string
local function use(nvcc, ptxas, disassembler)
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  t.wait('the end of the servers', function()
    return #vim.lsp.get_clients() == 0
  end)
  vim.cmd('silent! %bwipeout!')
  vim.cmd('silent! tabonly!')
  vim.lsp.config('warplens', {
    init_options = { nvcc = { path = nvcc }, ptxas = { path = ptxas }, disassembler = disassembler },
    settings = { warplens = { gpu = 'h100-sxm' } },
  })
end

---@param path string
---@return integer buffer
local function open(path)
  vim.cmd.edit(vim.fn.fnameescape(path))
  local buffer = vim.api.nvim_get_current_buf()
  t.wait('a client', function()
    local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
    return client and client.initialized
  end)
  vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  return buffer
end

--- The hints at the ends of lines, by line, counted from 1.
local function hints(buffer)
  local found = {}
  for _, held in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    local line = held.inlay_hint.position.line + 1
    assert(not found[line] or vim.bo[buffer].filetype ~= 'cuda', 'two hints in line ' .. line)
    found[line] = held.inlay_hint.label
  end
  return found
end

local function lenses(buffer)
  return t.lens_titles(buffer)
end

--- Waits for a hint at a line that matches a pattern, and returns it.
local function hint_at(buffer, line, pattern)
  return t.wait(('a hint like %s in line %d'):format(pattern, line), function()
    local hint = hints(buffer)[line]
    return hint and hint:find(pattern) and hint
  end)
end

local function lens_like(buffer, isWanted, what)
  t.wait('lenses ' .. what, function()
    local shown = lenses(buffer)
    return shown:find('occupancy') and isWanted(shown)
  end)
end

local function is_older(shown)
  return shown:find('older code: ', 1, true) ~= nil
end

local function is_fresh(shown)
  return not is_older(shown)
end

--- Waits for a window with a view of this scheme, and returns its buffer.
local function view(scheme)
  return t.wait('the window of ' .. scheme, function()
    return vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(vim.api.nvim_win_get_buf):find(function(buffer)
      return vim.startswith(vim.api.nvim_buf_get_name(buffer), scheme .. ':')
    end)
  end)
end

--- The texts of the highlighted lines of a buffer.
local function lit(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.views']
  return vim.iter(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, {})):map(function(mark)
    return vim.trim(vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, true)[1])
  end):join('\n')
end

--- The highlight group of each line with a coloured background, by the text of the line.
local function blocks_of(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.blocks']
  local found = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    local text = vim.api.nvim_buf_get_lines(buffer, mark[2], mark[2] + 1, true)[1]
    found[vim.trim(text)] = mark[4].line_hl_group
  end
  return found
end

--- The highlight group of the line that contains a text; nil if no line contains it.
local function block_like(buffer, part)
  for text, block in pairs(blocks_of(buffer)) do
    if text:find(part, 1, true) then
      return block
    end
  end
end

--- Moves the cursor of the current window to a line, counted from 1, and triggers the event that a key would trigger.
local function go(line)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.api.nvim_exec_autocmds('CursorMoved', { buffer = vim.api.nvim_get_current_buf() })
end

local function text_of(buffer)
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, true), '\n')
end

local folder = vim.fn.tempname()
local cuda = furnish(folder, 'scale.cu')

t.case('CUDA is compiled while it is typed, and figures of an older text are marked', function()
  use(folder .. '/tools/nvcc', folder .. '/tools/ptxas', folder .. '/tools/nvdisasm')
  local buffer = open(cuda)
  local fresh = hint_at(buffer, STORE, ' instr')
  assert(not fresh:find('?', 1, true), fresh)
  lens_like(buffer, is_fresh, 'of the text')
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { 'int slow;' })
  hint_at(buffer, STORE + 1, '%?$')
  lens_like(buffer, is_older, 'of an older text')
  vim.api.nvim_buf_set_lines(buffer, 0, 1, true, {})
  t.equal(fresh, hint_at(buffer, STORE, '%d %%$'), 'the hint after the compiler')
  lens_like(buffer, is_fresh, 'of the text again')
end)

t.case('CUDA, its PTX and its SASS stay in sync', function()
  local source = vim.api.nvim_get_current_buf()
  vim.cmd.WarplensPtx()
  local ptx = view('warplens-ptx')
  vim.cmd.WarplensSass()
  local sass = view('warplens-sass')
  t.equal({ 'ptx', 'nvsass' }, { vim.bo[ptx].filetype, vim.bo[sass].filetype }, 'filetypes')
  t.equal({ 1, 1 }, { #vim.lsp.get_clients({ bufnr = ptx }), #vim.lsp.get_clients({ bufnr = sass }) }, 'clients')
  t.wait('hints in the listing', function()
    return #vim.lsp.inlay_hint.get({ bufnr = sass }) > 0
  end)
  t.equal(3, #vim.api.nvim_tabpage_list_wins(0), 'windows')
  go(STORE)
  assert(lit(ptx):find('st.global.f32', 1, true) and not lit(ptx):find('ld.global', 1, true), lit(ptx))
  assert(lit(sass):find('STG.E', 1, true) and not lit(sass):find('LDG', 1, true), lit(sass))
  -- The command goes from each window to the next.
  vim.cmd.WarplensJump()
  t.equal(ptx, vim.api.nvim_get_current_buf(), 'the buffer after a jump')
  go(t.find(ptx, 'ld.global.f32') + 1)
  t.equal('return 2.0f * x[i];', lit(source), 'the source')
  assert(lit(sass):find('LDG.E', 1, true), lit(sass))
  vim.cmd.WarplensJump()
  t.equal(sass, vim.api.nvim_get_current_buf(), 'the buffer after another')
  go(t.find(sass, ' STG.E') + 1)
  assert(lit(ptx):find('st.global.f32', 1, true), lit(ptx))
  vim.cmd.WarplensJump()
  t.equal({ source, STORE - 1 }, { vim.api.nvim_get_current_buf(), t.place()[1] }, 'where the jumps end')
  -- The PTX is that of the current text.
  vim.api.nvim_buf_set_lines(source, -1, -1, true, { 'int more;' })
  t.wait('the new PTX', function()
    return text_of(ptx):find(('// of %d lines'):format(#SOURCE + 2), 1, true)
  end)
  vim.api.nvim_buf_delete(ptx, { force = true })
  go(STORE)
  assert(lit(sass):find('STG.E', 1, true), lit(sass))
  t.equal({}, said, 'messages')
end)

t.case('corresponding lines have the same background', function()
  vim.cmd('silent! only')
  local source = vim.api.nvim_get_current_buf()
  vim.cmd.WarplensPtx()
  local ptx = view('warplens-ptx')
  vim.cmd.WarplensSass()
  local sass = view('warplens-sass')
  local own = t.wait('the blocks of the source', function()
    return block_like(source, 'y[i * 8]')
  end)
  assert(own:find('^WarplensBlock[1-6]$'), own)
  t.equal({ own, own }, { block_like(ptx, 'st.global.f32'), block_like(sass, 'STG.E') }, 'the store')
  local load = block_like(source, 'return 2.0f')
  t.equal({ load, load }, { block_like(ptx, 'ld.global.f32'), block_like(sass, 'LDG.E') }, 'the load')
  assert(load ~= own, load)
  local colour = vim.api.nvim_get_hl(0, { name = own, link = false })
  assert(colour.bg and colour.ctermbg, vim.inspect(colour))
  vim.o.background = 'light'
  vim.cmd.colorscheme('default')
  assert(vim.api.nvim_get_hl(0, { name = own, link = false }).bg ~= colour.bg, 'the colour on a light background')
  vim.o.background = 'dark'
  vim.cmd.colorscheme('default')
  -- After an edit, lines keep their colours until the new code colours them again.
  vim.api.nvim_buf_set_lines(source, 0, 0, true, { '// above' })
  t.equal(own, block_like(source, 'y[i * 8]'), 'the store, further down')
  vim.api.nvim_buf_set_lines(source, 0, 1, true, {})
  -- The colours can be switched off and on again.
  vim.g.warplens = { disassemble = { '/' }, colour_blocks = false }
  go(STORE)
  t.equal({ {}, {} }, { blocks_of(source), blocks_of(sass) }, 'blocks that are switched off')
  vim.g.warplens = { disassemble = { '/' } }
  go(STORE)
  t.equal(own, block_like(sass, 'STG.E'), 'the store again')
  -- The colours disappear together with the last view.
  vim.api.nvim_buf_delete(ptx, { force = true })
  t.wait('the blocks without the PTX', function()
    return block_like(source, 'y[i * 8]')
  end)
  vim.api.nvim_buf_delete(sass, { force = true })
  t.wait('no blocks', function()
    return next(blocks_of(source)) == nil
  end)
end)

t.case('the code of a version is pinned and compared', function()
  vim.cmd('silent! only')
  local source = vim.api.nvim_get_current_buf()
  hint_at(source, STORE, '%d %%$')
  -- The previous case has edited the text, and the hints may be older than that edit.
  t.wait('the message', function()
    vim.cmd.WarplensPin()
    return vim.wait(500, function()
      return vim.tbl_contains(said, 'warplens: the code of this version is pinned')
    end)
  end)
  vim.api.nvim_buf_set_lines(source, -1, -1, true, { 'int again;' })
  t.wait('the comparison, once the text is compiled', function()
    vim.cmd.WarplensCompare()
    return vim.wait(1000, function()
      return #vim.api.nvim_list_tabpages() == 2
    end)
  end)
  t.wait('both versions', function()
    local texts = vim.iter(vim.api.nvim_tabpage_list_wins(0)):map(vim.api.nvim_win_get_buf):map(text_of):totable()
    return #texts == 2 and texts[1] == texts[2] and texts[1]:find('_Z5scalePKfPfi\n//   %d+ instructions, 10 registers')
  end)
  vim.cmd.tabclose()
end)

t.case('a Python file that a cubin names shows what its lines cost', function()
  local root = vim.fn.tempname()
  vim.fn.mkdir(root .. '/cache', 'p')
  local inner = root .. '/' .. ('k'):rep(FOLDER_BYTES - #root - 1)
  local python = furnish(inner, 'scale.py')
  vim.fn.writefile({ 'gpu = "h100-sxm"', 'cubins = ["cache/**"]' }, root .. '/warplens.toml')
  local disassembler = inner .. '/tools/nvdisasm'
  vim.fn.writefile({ '#!/bin/sh', 'cat "$(dirname "$0")/scale_cu.listing"' }, disassembler)
  local cubin = vim.fn.readblob(t.path(STAND_IN .. 'scale_py.cubin'))
  local old = '/' .. ('k'):rep(FOLDER_BYTES - 1)
  local first, last = cubin:find(old, 1, true)
  local file = assert(io.open(root .. '/cache/k.cubin', 'wb'))
  file:write(cubin:sub(1, first - 1), inner, cubin:sub(last + 1))
  file:close()
  use(inner .. '/tools/nvcc', inner .. '/tools/ptxas', disassembler)
  local buffer = open(python)
  local fresh = hint_at(buffer, STORE, ' instr')
  assert(not fresh:find('?', 1, true), fresh)
  lens_like(buffer, is_fresh, 'of the build')
  vim.api.nvim_buf_set_lines(buffer, 0, 0, true, { '# more' })
  vim.cmd.write({ mods = { silent = true } })
  hint_at(buffer, STORE + 1, '%?$')
  lens_like(buffer, is_older, 'of an older text')
end)

--- The folder with nvcc: that of CUDA_HOME, otherwise the one on PATH; nil if neither exists.
local function compiler()
  local home = vim.env.CUDA_HOME
  if home and vim.fn.executable(home .. '/bin/nvcc') == 1 then
    return home .. '/bin'
  end
  local found = vim.fn.exepath('nvcc')
  return found ~= '' and vim.fs.dirname(found) or nil
end

local tools = compiler()
local REAL = 'with a real nvcc, figures and views are those of the text'
if not tools then
  t.left_out(REAL, 'nvcc is not installed')
else
  t.case(REAL, function()
    use(tools, tools, tools .. '/nvdisasm')
    local source = open(furnish(vim.fn.tempname(), 'scale.cu'))
    hint_at(source, STORE, ' instr')
    vim.cmd.WarplensPtx()
    local ptx = view('warplens-ptx')
    vim.cmd.WarplensSass()
    local sass = view('warplens-sass')
    go(STORE)
    assert(lit(ptx):find('st.global', 1, true), lit(ptx))
    assert(lit(sass):find('STG.E', 1, true), lit(sass))
    assert(not text_of(sass):find('FMUL', 1, true), 'a multiplication')
    vim.api.nvim_buf_set_lines(source, 1, 2, true, { '    return 3.0f * x[i];' })
    t.wait('the new SASS', function()
      return text_of(sass):find('FMUL', 1, true)
    end)
    t.wait('the new PTX', function()
      return text_of(ptx):find('mul.f32', 1, true)
    end)
    vim.bo[source].modified = false
  end)

  t.case('with a real nvcc, the menu of actions shows the gain of each', function()
    use(tools, tools, tools .. '/nvdisasm')
    local source = open(furnish(vim.fn.tempname(), 'scale.cu'))
    hint_at(source, STORE, ' instr')
    t.go(source, 'float *y, int n', 'float')
    local offered = {}
    local select = vim.ui.select
    vim.ui.select = function(items)
      offered = vim.iter(items):map(function(item)
        return item.action.title
      end):totable()
    end
    t.wait('a gain in a title', function()
      vim.lsp.buf.code_action()
      vim.wait(300)
      return vim.iter(offered):find(function(title)
        return title:find('__restrict__', 1, true) and title:find('[compiled: ', 1, true)
      end)
    end)
    vim.ui.select = select
  end)
end

t.finish()
