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
    health.warn(('g:warplens has an unknown option "%s"'):format(name), 'See :help warplens-options.')
  end
  for _, wrong in ipairs(require('warplens.options').wrong()) do
    health.warn('g:warplens: ' .. wrong, 'See :help warplens-options.')
  end
end

local function check_binary()
  local config = vim.lsp.config.warplens
  if not config then
    health.error('no configuration named "warplens"', "Put the plugin's folder on 'runtimepath'.")
    return
  end
  if type(config.cmd) ~= 'table' then
    health.info('the server is started by your own function')
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
    health.error(('%s --version fails: %s'):format(path, why), 'Reinstall warplens.')
  end
end

--- Checks the tools that compile PTX and make listings, in `init_options` and on $PATH. The server also searches its
--- settings and $CUDA_HOME.
local function check_tools()
  local trust = require('warplens.trust')
  if not trust.is_wanted() then
    health.info('tools of the CUDA toolkit do not run: `disassemble` in g:warplens is off')
    return
  end
  for _, client in ipairs(require('warplens.clients').all()) do
    local where = client.root_dir or 'files outside all workspaces'
    if trust.allows(client.root_dir) then
      health.ok(('tools of the CUDA toolkit run in %s'):format(where))
    else
      health.info(('tools of the CUDA toolkit do not run in %s: :WarplensTrust there allows it'):format(where))
    end
  end
  local init = (vim.lsp.config.warplens or {}).init_options or {}
  local tools = {
    { 'ptxas', vim.tbl_get(init, 'ptxas', 'path') },
    { 'nvdisasm', init.disassembler },
    { 'nvcc', vim.tbl_get(init, 'nvcc', 'path') },
  }
  for _, tool in ipairs(tools) do
    local name, path = tool[1], tool[2] or vim.fn.exepath(tool[1])
    if path ~= '' then
      health.ok(('%s: %s'):format(name, path))
    else
      health.info(('%s is not on $PATH'):format(name))
    end
  end
end

--- Shows what the servers report: problems, and what would give better figures.
local function check_status()
  for _, client in ipairs(require('warplens.clients').all()) do
    local status = require('warplens.status').of(client)
    if status and type(status.note) == 'string' then
      health.info(status.note)
    end
    if status and status.health ~= 'ok' then
      health.warn(status.message)
    end
  end
end

local function check_enabled()
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('warplens') then
    health.warn('the server is not enabled', "Add vim.lsp.enable('warplens') to your init.lua.")
  end
  if vim.lsp.is_enabled and not vim.lsp.is_enabled('warplens_source') then
    health.info("costs are not shown in CUDA: vim.lsp.enable('warplens_source') shows them, alongside CUDA's own server")
  end
end

--- Returns the filetype of a buffer and, for SASS and PTX, how it was detected.
---@param buffer integer
---@return string
local function filetype_of(buffer)
  local dialect = require('warplens.dialect')
  local filetype = vim.bo[buffer].filetype
  if require('warplens.filetype').is_shared(buffer) then
    return filetype
  end
  local told_by = 'from its extension alone'
  if filetype == 'nvsass' then
    told_by = dialect.of_buffer(buffer) or told_by
  elseif dialect.is_ptx(buffer) then
    told_by = 'it starts with .version'
  end
  return ('%s (%s)'):format(filetype, told_by)
end

--- Whether a client of the server should be attached to a buffer.
---@param buffer integer
---@return boolean
local function is_served(buffer)
  local filetype = require('warplens.filetype')
  local shares = vim.lsp.is_enabled ~= nil and vim.lsp.is_enabled('warplens_source')
  return filetype.is_ours(buffer) or shares and filetype.is_shared(buffer)
end

local function check_buffers()
  local seen = false
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and is_served(buffer) then
      seen = true
      local name = vim.fn.fnamemodify(vim.api.nvim_buf_get_name(buffer), ':~:.')
      local kind = filetype_of(buffer)
      local client = require('warplens.clients').all(buffer)[1]
      if client then
        health.ok(('%s: filetype %s, client %d attached'):format(name, kind, client.id))
      else
        health.warn(('%s: filetype %s, no client attached'):format(name, kind), 'See :checkhealth vim.lsp.')
      end
    end
  end
  if not seen then
    health.info('no SASS or PTX is open: open a file and run this check again to see whether the server attaches to it')
  end
end

function M.check()
  health.start('warplens')
  check_neovim()
  check_options()
  check_binary()
  check_tools()
  check_status()
  check_enabled()
  check_buffers()
end

return M
