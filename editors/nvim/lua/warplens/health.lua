--- `:checkhealth warplens`

local M = {}

local health = vim.health

local function check_neovim()
  local version = tostring(vim.version())
  if vim.fn.has('nvim-0.11') == 1 then
    health.ok('Neovim ' .. version)
  else
    health.error('Neovim ' .. version .. ' is too old', 'Install Neovim 0.11 or later.')
  end
end

local function check_options()
  for _, name in ipairs(require('warplens.options').unknown()) do
    health.warn(('g:warplens has an option "%s" that means nothing'):format(name), 'See :help warplens-options.')
  end
end

local function check_binary()
  local config = vim.lsp.config.warplens
  if not config then
    health.error('no configuration named "warplens"', "Put the plugin's folder on 'runtimepath'.")
    return
  end
  if type(config.cmd) ~= 'table' then
    health.info('the server is started by a function of yours')
    return
  end
  local program = config.cmd[1]
  local path = vim.fn.exepath(program)
  if path == '' then
    health.error(('no program "%s"'):format(program), {
      'Put the folder of `warplens` on $PATH,',
      "or name it: vim.lsp.config('warplens', { cmd = { '/path/to/warplens', 'lsp' } }).",
    })
    return
  end
  local started, run = pcall(function()
    return vim.system({ path, '--version' }, { text = true, timeout = 5000 }):wait()
  end)
  if started and run.code == 0 then
    health.ok(('%s (%s)'):format(vim.trim(run.stdout), path))
  else
    local why = started and vim.trim(run.stderr) or tostring(run)
    health.error(('%s --version fails: %s'):format(path, why), 'Install warplens anew.')
  end
end

local function check_enabled()
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('warplens') then
    health.warn('the server is not enabled', "Add vim.lsp.enable('warplens') to your init.lua.")
  end
end

local function check_buffers()
  local seen = false
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'nvsass' then
      seen = true
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':~:.')
      local kind = require('warplens.dialect').of_buffer(buffer) or 'by its ending alone'
      local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
      if client then
        health.ok(('%s: filetype nvsass (%s), client %d attached'):format(name, kind, client.id))
      else
        health.warn(('%s: filetype nvsass (%s), no client attached'):format(name, kind), 'See :checkhealth vim.lsp.')
      end
    end
  end
  if not seen then
    health.info('no SASS is open: open a listing and ask again to see whether the server takes it')
  end
end

function M.check()
  health.start('warplens')
  check_neovim()
  check_options()
  check_binary()
  check_enabled()
  check_buffers()
end

return M
