--- Setup at startup: filetype detection, autocommands, user commands and `<Plug>` mappings.

if vim.g.loaded_warplens then
  return
end
vim.g.loaded_warplens = true

-- Plugin managers generate the help tags that `:help warplens` needs. A plain clone has none.
local doc = vim.fs.joinpath(vim.fs.dirname(vim.fs.dirname(vim.fs.abspath(debug.getinfo(1, 'S').source:sub(2)))), 'doc')
if not vim.uv.fs_stat(vim.fs.joinpath(doc, 'tags')) then
  pcall(vim.cmd.helptags, { args = { doc }, magic = { file = false } })
end

require('warplens.filetype').register()
require('warplens.binary').register()
require('warplens.colours').register()

vim.api.nvim_create_autocmd('LspAttach', {
  group = vim.api.nvim_create_augroup('warplens', {}),
  desc = 'Set up the buffer for the warplens server',
  callback = function(event)
    local client = vim.lsp.get_client_by_id(event.data.client_id)
    if client and require('warplens.clients').is_ours(client) then
      require('warplens.attach').attach(client, event.buf)
    end
  end,
})

vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('warplens.program', {}),
  pattern = require('warplens.filetype').OURS,
  desc = 'Report if the server cannot be started',
  -- Scheduled, because the user's configuration may enable the server later.
  callback = vim.schedule_wrap(function()
    require('warplens.program').warn_if_missing()
  end),
})

vim.api.nvim_create_autocmd('FileType', {
  group = vim.api.nvim_create_augroup('warplens.encodings', {}),
  pattern = 'nvsass',
  desc = 'Dim or hide the encodings of a listing',
  callback = function(event)
    require('warplens.encodings').attach(event.buf)
  end,
})

vim.api.nvim_create_autocmd('BufWritePost', {
  group = vim.api.nvim_create_augroup('warplens.launches', {}),
  pattern = 'warplens.toml',
  desc = 'Notify the warplens server of changed launches',
  -- Neovim watches files only on some systems.
  callback = function(event)
    local changes = { { uri = vim.uri_from_fname(event.match), type = vim.lsp.protocol.FileChangeType.Changed } }
    for _, client in ipairs(require('warplens.clients').all()) do
      client:notify('workspace/didChangeWatchedFiles', { changes = changes })
    end
  end,
})

vim.api.nvim_create_user_command('WarplensTrust', function(command)
  require('warplens.trust').change(command.bang)
end, { bang = true, desc = 'Allow compilers and tools to run in this workspace; with !, stop allowing it' })

vim.api.nvim_create_user_command('WarplensGpu', function(command)
  if command.args == '' then
    require('warplens.gpu').show()
  else
    require('warplens.gpu').choose(command.args)
  end
end, {
  nargs = '?',
  complete = function(begun)
    return require('warplens.gpu').complete(begun)
  end,
  desc = 'Show or set the GPU that the numbers are for; "auto": the GPU that each file names',
})

vim.api.nvim_create_user_command('WarplensRule', function(command)
  require('warplens.rule').show(command.args ~= '' and command.args or nil)
end, {
  nargs = '?',
  complete = function(begun)
    return require('warplens.rule').complete(begun)
  end,
  desc = 'Show the page of a rule, or of the finding in this line',
})

vim.api.nvim_create_user_command('WarplensCycles', function(command)
  require('warplens.selection').show(command.line1, command.line2, command.bang)
end, { range = true, bang = true, desc = 'Show the cycles of the lines; with !, show the breakdown in a window' })

vim.api.nvim_create_user_command('WarplensCopyAs', function(command)
  local lines = command.range > 0 and { command.line1, command.line2 } or nil
  require('warplens.copy').copy(command.args, lines)
end, {
  nargs = 1,
  range = true,
  complete = function(begun)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, begun)
    end, require('warplens.copy').assemblers)
  end,
  desc = 'Copy the lines, or the kernel at the cursor, in the notation of an assembler',
})

for name, kind in pairs({ Sass = 'sass', Ptx = 'ptx' }) do
  vim.api.nvim_create_user_command('Warplens' .. name, function(command)
    local views = require('warplens.views')
    if command.bang then
      views.stop()
    else
      views.show(kind)
    end
  end, { bang = true, desc = ('Show the %s of this buffer next to it; with !, stop compiling'):format(kind:upper()) })
end

vim.api.nvim_create_user_command('WarplensJump', function()
  require('warplens.views').jump()
end, { desc = 'Go from a line to its code in the next window, PTX or SASS, and back to the source' })

vim.api.nvim_create_user_command('WarplensPin', function()
  require('warplens.compare').pin()
end, { desc = 'Keep the code of this version of the buffer for comparison' })

vim.api.nvim_create_user_command('WarplensCompare', function()
  require('warplens.compare').show()
end, { desc = 'Compare the code of the buffer with the code of the pinned version' })

vim.api.nvim_create_user_command('WarplensProfile', function(command)
  local profiles = require('warplens.profiles')
  if command.bang then
    profiles.detach()
  else
    profiles.attach(command.fargs)
  end
end, {
  bang = true,
  nargs = '*',
  complete = function(begun)
    return require('warplens.profiles').complete(begun)
  end,
  desc = 'Show the data of profiles at the code that ran; with !, detach all profiles',
})

vim.api.nvim_create_user_command('WarplensEncodings', function(command)
  require('warplens.encodings').set(command.args ~= '' and command.args or nil)
end, {
  nargs = '?',
  complete = function(begun)
    return require('warplens.encodings').complete(begun)
  end,
  desc = 'Show, dim or hide the encodings of listings; without an argument, the next of these',
})

vim.api.nvim_create_user_command('WarplensRelations', function()
  require('warplens.relations').set()
end, { desc = 'Switch on or off the display of the producers and consumers of the instruction at the cursor' })

vim.api.nvim_create_user_command('WarplensKernel', function()
  require('warplens.kernel').show()
end, { desc = 'Show the details of the kernel at the cursor, its occupancy and other GPUs in a window' })

vim.api.nvim_create_user_command('WarplensTune', function()
  require('warplens.tune').run()
end, { desc = 'Compile and predict the variants of the kernel at the cursor that warplens.toml tunes' })

vim.api.nvim_create_user_command('WarplensHot', function()
  require('warplens.hot').list()
end, { desc = 'List the ten hottest lines, measured or predicted, in the location list' })

vim.keymap.set('n', '<Plug>(warplens-rule)', '<Cmd>WarplensRule<CR>', { desc = 'Show the page of the finding in this line' })

for _, name in ipairs({ 'next', 'previous' }) do
  vim.keymap.set({ 'n', 'x', 'o' }, ('<Plug>(warplens-%s-hot)'):format(name), function()
    require('warplens.hot')[name]()
  end, { desc = ('Go to the %s hot line'):format(name) })
end

vim.api.nvim_create_user_command('WarplensLaunch', function()
  require('warplens.profiles').choose_launch()
end, { desc = 'Choose which launch of a kernel in the attached profiles is shown' })

vim.api.nvim_create_user_command('WarplensCompareProfiles', function(command)
  require('warplens.profiles').compare(command.fargs)
end, {
  nargs = '*',
  complete = function(begun)
    return require('warplens.profiles').complete(begun)
  end,
  desc = 'Show in a new tab what changed from one profile to another',
})

vim.api.nvim_create_user_command('WarplensTopDown', function(command)
  require('warplens.top_down').show(command.bang)
end, { bang = true, desc = 'Show why warps of the kernel at the cursor stalled; with !, choose a kernel' })

vim.api.nvim_create_user_command('WarplensRestart', function()
  require('warplens.restart').restart()
end, { desc = 'Restart the server, even after it has crashed too often' })
