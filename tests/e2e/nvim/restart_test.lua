--- A server that dies is restarted with its hints, without any key; one that keeps dying is not.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')

local LISTING = 'tests/corpus/sm_90/sgemm.cuobjdump-sass.txt'
local CUBIN = 'server/syntax/tests/cubins/sm_90.cubin'
local SIGKILL = 9

--- The process ids of the servers that this Neovim has started.
local function processes()
  return vim.iter(vim.api.nvim_get_proc_children(vim.fn.getpid())):filter(function(id)
    local process = vim.api.nvim_get_proc(id)
    return process and process.name == 'warplens'
  end):totable()
end

--- Kills the only server, and waits until it is gone.
local function kill()
  local running = t.wait('a server', function()
    local found = processes()
    return #found > 0 and found
  end)
  t.equal(1, #running, 'servers')
  vim.uv.kill(running[1], SIGKILL)
  t.wait('its end', function()
    return not vim.list_contains(processes(), running[1])
  end)
end

--- Stops all servers as a user does. None of them is restarted.
local function stop_all()
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop()
  end
  t.wait('the end of all servers', function()
    return #processes() == 0
  end)
end

--- Waits for a client of the buffer other than `before`.
local function another_client(buffer, before)
  return t.wait('another client', function()
    local now = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
    return now and now.id ~= before.id and now.initialized and now
  end)
end

--- The number of instructions in the buffer that have a hint.
local function hinted(buffer)
  local lines = {}
  for _, entry in ipairs(vim.lsp.inlay_hint.get({ bufnr = buffer })) do
    lines[entry.inlay_hint.position.line] = true
  end
  return vim.iter(t.instructions(buffer)):filter(function(line)
    return lines[line]
  end):fold(0, function(count)
    return count + 1
  end)
end

local function wait_for_hints(buffer)
  t.wait('a hint at each instruction', function()
    return hinted(buffer) == #t.instructions(buffer)
  end)
end

--- Records the messages from now on. Returns a function that gives them as one text.
local function listen()
  local said = {}
  vim.notify = function(text)
    said[#said + 1] = text
  end
  return function()
    return table.concat(said, '\n')
  end
end

t.case('a killed server is restarted, and hints follow edits as before', function()
  local buffer, client = t.open(LISTING)
  wait_for_hints(buffer)
  local said = listen()
  kill()
  local now = another_client(buffer, client)
  -- Only the new server can know this line.
  local line = t.find(buffer, '/*00a0*/')
  vim.api.nvim_buf_set_lines(buffer, line, line, true, { '        /*00a1*/                   FADD R4, R4, R5 ;' })
  wait_for_hints(buffer)
  local at = { position = { line = line, character = 36 } }
  assert(t.ask(now, buffer, 'textDocument/hover', at).contents.value:find('FADD'), 'a hover of the new line')
  assert(said():find('the server ended %(signal 9%) and was started again'), said())
end)

t.case('the selected GPU stays selected', function()
  local buffer, client = t.open(LISTING)
  wait_for_hints(buffer)
  vim.cmd.WarplensGpu('v100')
  kill()
  local now = another_client(buffer, client)
  local title = t.ask(now, buffer, 'textDocument/codeLens')[1].command.title
  assert(title:find('V100'), title)
  vim.cmd.WarplensGpu('auto')
end)

t.case('a server that the user stops is not restarted', function()
  t.open(LISTING)
  stop_all()
  vim.wait(1500)
  t.equal(0, #processes(), 'servers')
  vim.cmd.WarplensRestart()
  t.open(LISTING)
end)

t.case('a cubin keeps the resources that it states', function()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder, 'p')
  local tool = t.path('tests/e2e/stand_in/nvdisasm')
  vim.lsp.config('warplens', { init_options = { disassembler = tool } })
  vim.g.warplens = { disassemble = { '/' } }
  vim.fn.writefile(vim.fn.readblob(t.path(CUBIN)), folder .. '/tile.cubin')
  -- The folder has its own server, which has the tool.
  vim.fn.writefile({}, folder .. '/warplens.toml')
  stop_all()
  vim.cmd.edit(folder .. '/tile.cubin')
  local buffer = vim.api.nvim_get_current_buf()
  wait_for_hints(buffer)
  local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
  local function lens(of)
    return t.ask(of, buffer, 'textDocument/codeLens')[1].data.detail
  end
  local before = lens(client)
  assert(before:find('Registers: 14 per thread', 1, true), before)
  kill()
  local now = another_client(buffer, client)
  t.wait('the registers that the file states', function()
    return lens(now) == before
  end)
  vim.g.warplens = nil
  vim.cmd.bwipeout({ bang = true })
end)

t.case('a server that keeps dying stays down until :WarplensRestart', function()
  stop_all()
  local said = listen()
  -- Resets the count of deaths from the earlier cases.
  vim.cmd.WarplensRestart()
  local buffer, client = t.open(LISTING)
  for _ = 1, 5 do
    kill()
  end
  t.wait('a message', function()
    return said():find('ended 5 times in 3 minutes; :WarplensRestart starts it', 1, true)
  end)
  vim.wait(1500)
  t.equal(0, #processes(), 'servers')
  vim.cmd.WarplensRestart()
  another_client(buffer, client)
  wait_for_hints(buffer)
end)

t.finish()
