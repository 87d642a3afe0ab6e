--- CUDA with a C++ server: costs are shown together with that server's answers, and Neovim never asks which server to use.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local FILE = 'tests/e2e/cuda/column.cu'

-- Set after the server is enabled, as in many an init.lua: the configuration of `warplens` holds for CUDA, too.
vim.lsp.config('warplens', { settings = { warplens = { gpu = 'h200' } } })

--- The messages and the choices offered since the start of the test.
local said, choices = {}, {}
vim.notify = function(text)
  said[#said + 1] = text
end
vim.ui.select = function(items)
  choices[#choices + 1] = items
end

--- Answers of a fake clangd, by method.
local ANSWERS = {
  initialize = function()
    return {
      capabilities = {
        hoverProvider = true,
        definitionProvider = true,
        renameProvider = true,
        documentFormattingProvider = true,
        completionProvider = vim.empty_dict(),
        inlayHintProvider = true,
        textDocumentSync = 1,
      },
    }
  end,
  ['textDocument/hover'] = function()
    return { contents = { kind = 'markdown', value = 'the type, by the C++ server' } }
  end,
  ['textDocument/inlayHint'] = function()
    return {}
  end,
  ['textDocument/definition'] = function(params)
    local start = { line = 8, character = 0 }
    return { uri = params.textDocument.uri, range = { start = start, ['end'] = start } }
  end,
  ['textDocument/rename'] = function(params)
    local start = params.position
    local edit = { range = { start = start, ['end'] = start }, newText = params.newName }
    return { changes = { [params.textDocument.uri] = { edit } } }
  end,
  ['textDocument/formatting'] = function()
    local start = { line = 0, character = 0 }
    return { { range = { start = start, ['end'] = start }, newText = '// formatted by the C++ server\n' } }
  end,
}

--- A server that runs in this Neovim.
local function cpp_server()
  local closing = false
  local number = 0
  return {
    request = function(method, params, callback)
      number = number + 1
      local answer = ANSWERS[method]
      vim.schedule(function()
        callback(nil, answer and answer(params) or vim.NIL)
      end)
      return true, number
    end,
    notify = function(method)
      closing = closing or method == 'exit'
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

--- Opens the file as it is on disk, and waits for our client.
local function open()
  local buffer = t.edit(FILE)
  local client = t.wait('a client of ' .. FILE, function()
    local found = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
    return found and found.initialized and found
  end)
  return buffer, client
end

--- Opens the file with our client and the C++ server.
local function open_with_cpp_server()
  local buffer, client = open()
  local id = assert(vim.lsp.start({ name = 'clangd', cmd = cpp_server, root_dir = t.path('') }, { bufnr = buffer }))
  t.wait('the C++ server', function()
    return vim.lsp.get_client_by_id(id).initialized
  end)
  return buffer, client
end

local lenses = t.lens_titles

--- Opens a hover on `part` of the line with `whole`, and returns the text of its window.
local function hover(buffer, whole, part)
  t.go(buffer, whole, part)
  vim.lsp.buf.hover()
  local window = t.wait('the window of a hover', function()
    return vim.iter(vim.api.nvim_list_wins()):find(function(window)
      return vim.api.nvim_win_get_config(window).relative ~= ''
    end)
  end)
  local text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
  vim.api.nvim_win_close(window, true)
  return text
end

t.case('lenses and findings of CUDA, without a C++ server', function()
  local buffer = open()
  t.equal('cuda', vim.bo[buffer].filetype, 'filetype')
  t.wait('the lenses', function()
    return lenses(buffer):find('block 32 x 32.*32 warps per block · 4096 B shared.*block 256')
  end)
  local found = t.wait('the finding', function()
    return vim.iter(vim.diagnostic.get(buffer)):find(function(finding)
      return finding.code == 'bank-conflict'
    end)
  end)
  t.equal(t.find(buffer, 'tile[threadIdx.x]'), found.lnum, 'its line')
  -- Neovim sets the option only if a server supports formatting.
  local value = vim.bo[buffer].formatexpr
  assert(not value:find('vim.lsp', 1, true), 'formatexpr is ' .. value)
end)

t.case('hovers of both servers are shown together, and ours only if it has content', function()
  local buffer = open_with_cpp_server()
  local both = hover(buffer, 'tile[threadIdx.x]', 'tile[threadIdx.x]')
  assert(both:find('wavefronts') and both:find('by the C++ server', 1, true), both)
  local one = hover(buffer, 'column<<<', 'nullptr')
  assert(one:find('by the C++ server', 1, true) and not one:find('warplens'), one)
  t.equal({}, said, 'messages')
end)

t.case('definition, renaming, formatting and completion come from the C++ server, without a choice', function()
  local buffer = open_with_cpp_server()
  t.go(buffer, 'halve<<<', 'halve')
  vim.lsp.buf.definition()
  t.wait('the cursor at the definition', function()
    return t.place()[1] == 8
  end)
  t.go(buffer, 'void halve', 'halve')
  vim.lsp.buf.rename('re')
  t.wait('the other name', function()
    return vim.api.nvim_buf_get_lines(buffer, 9, 10, true)[1]:find('void rehalve')
  end)
  vim.lsp.buf.format()
  t.equal('// formatted by the C++ server', vim.api.nvim_buf_get_lines(buffer, 0, 1, true)[1], 'the first line')
  t.equal({}, choices, 'choices')
  t.equal({}, said, 'messages')
  --- The names of the clients that support a request.
  local function able(method)
    local clients = vim.lsp.get_clients({ bufnr = buffer, method = 'textDocument/' .. method })
    local names = vim.iter(clients):map(function(client)
      return client.name
    end):totable()
    table.sort(names)
    return names
  end
  for _, method in ipairs({ 'completion', 'definition' }) do
    t.equal({ 'clangd', 'warplens_source' }, able(method), method)
  end
  for _, method in ipairs({ 'signatureHelp', 'references', 'documentHighlight' }) do
    t.equal({ 'warplens_source' }, able(method), method)
  end
  for _, method in ipairs({ 'rename', 'formatting' }) do
    t.equal({ 'clangd' }, able(method), method)
  end
  for _, method in ipairs({ 'semanticTokens/full', 'foldingRange', 'documentSymbol' }) do
    t.equal({}, able(method), method)
  end
  vim.cmd.edit({ bang = true })
end)

t.case('strings of asm statements have the features of PTX, and other text has none of them', function()
  local buffer, client = open()
  local line = t.find(buffer, '__syncthreads')
  local text = { '  asm volatile("{ .reg .b32 t; mov.b32 t, %%la;"', '               "st.global.u32 [%0], t; }" :: "l"(out + w));' }
  vim.api.nvim_buf_set_lines(buffer, line + 1, line + 1, true, text)
  local function proposed(whole, part)
    t.go(buffer, whole, part)
    local place = vim.lsp.util.make_position_params(0, client.offset_encoding).position
    return t.ask(client, buffer, 'textDocument/completion', { position = place })
  end
  local labels = vim.iter(proposed('%%la', 'a;')):map(function(item)
    return item.label
  end):totable()
  assert(vim.list_contains(labels, '%%laneid'), vim.inspect(labels))
  local none = proposed('column<<<', 'nullptr')
  assert(none == nil or none == vim.NIL, vim.inspect(none))
  t.go(buffer, '[%0], t', 't;')
  vim.lsp.buf.definition()
  t.wait('the cursor at the declaration', function()
    return vim.deep_equal(t.place(), { line + 1, text[1]:find('t; mov', 1, true) - 1 })
  end)
  t.go(buffer, '[%0]', '0]')
  vim.lsp.buf.definition()
  t.wait('the cursor at the operand', function()
    return vim.deep_equal(t.place(), { line + 2, text[2]:find('out + w', 1, true) - 1 })
  end)
  t.equal({}, said, 'messages')
  vim.cmd.edit({ bang = true })
end)

t.case('inlay hints of the C++ server stay as the user has them', function()
  local buffer = open_with_cpp_server()
  vim.wait(200)
  t.equal(false, vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }), 'hints')
end)

t.case('a fix of a finding is offered', function()
  local buffer = open_with_cpp_server()
  t.wait('the finding', function()
    return vim.iter(vim.diagnostic.get(buffer)):any(function(finding)
      return finding.code == 'double-constant'
    end)
  end)
  t.go(buffer, '* 0.3', '0.3')
  vim.lsp.buf.code_action({
    apply = true,
    filter = function(action)
      return action.isPreferred == true
    end,
  })
  t.wait('the mended line', function()
    return vim.api.nvim_buf_get_lines(buffer, 11, 12, true)[1]:find('0.3f;', 1, true)
  end)
  vim.cmd.edit({ bang = true })
end)

t.case('settings of warplens hold for CUDA, and commands change them for it', function()
  local buffer = open()
  local function gpu()
    return hover(buffer, 'tile[threadIdx.x]', 'tile[threadIdx.x]')
  end
  assert(gpu():find('H200'), gpu())
  vim.cmd.WarplensGpu('t4')
  t.wait('the other GPU', function()
    return gpu():find('T4')
  end)
  vim.cmd.WarplensGpu('auto')
end)

t.case('without the program nothing is started, and no message is shown', function()
  vim.lsp.config('warplens', { cmd = { 'warplens-that-is-not-there', 'lsp' } })
  for _, client in ipairs(vim.lsp.get_clients({ name = 'warplens_source' })) do
    client:stop(true)
  end
  t.wait('its end', function()
    return #vim.lsp.get_clients({ name = 'warplens_source' }) == 0
  end)
  t.edit(FILE)
  vim.wait(500)
  t.equal(0, #vim.lsp.get_clients({ name = 'warplens_source' }), 'clients')
  t.equal({}, said, 'messages')
  t.equal('', vim.v.errmsg, 'the last error')
  vim.lsp.config('warplens', { cmd = { 'warplens', 'lsp' } })
  -- A buffer that is loaded is not attached again.
  vim.cmd.bwipeout({ bang = true })
end)

t.case('listings and CUDA have one client each, and both can be restarted', function()
  local _, listings = t.open('tests/corpus/sm_90/sgemm.cuobjdump-sass.txt')
  local buffer, sources = open()
  t.equal(true, listings.server_capabilities.renameProvider ~= nil, 'renaming in listings')
  vim.cmd.WarplensRestart()
  t.wait('another client', function()
    local now = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens_source' })[1]
    return now and now.id ~= sources.id and now.initialized
  end)
  t.wait('the lenses', function()
    return lenses(buffer):find('block 256')
  end)
end)

t.finish()
