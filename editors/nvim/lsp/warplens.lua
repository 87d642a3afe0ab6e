--- The server as Neovim's own client runs it: `vim.lsp.enable('warplens')`.
--- Change any of it with `vim.lsp.config('warplens', { ... })`.

---@type vim.lsp.Config
return {
  cmd = { 'warplens', 'lsp' },
  filetypes = { 'nvsass', 'ptx', 'toml' },
  root_dir = function(buffer, start)
    -- Of TOML the server reads one file alone.
    local filetype = require('warplens.filetype')
    if filetype.is_ours(buffer) or filetype.is_launch_file(buffer) then
      start(require('warplens.trust').root(buffer))
    end
  end,
  before_init = function(params, config)
    -- What runs on cubins and PTX is for the user to allow, in each workspace, and not for the workspace: see |warplens-options|.
    local trusted = require('warplens.trust').ask(config and config.root_dir)
    params.initializationOptions =
      vim.tbl_extend('force', params.initializationOptions or {}, { trusted = trusted, tuneCommand = true })
    local told = {
      codeChangeNotification = true,
      profileChangeNotification = true,
      serverStatusNotification = true,
      explainRule = true,
    }
    -- The plugin draws the lenses, and Neovim 0.11 has no refresh of its own.
    params.capabilities.workspace.codeLens = { refreshSupport = true }
    params.capabilities.experimental = vim.tbl_extend('force', params.capabilities.experimental or {}, told)
  end,
  handlers = vim.tbl_extend(
    'error',
    require('warplens.hints').handlers,
    require('warplens.lenses').handlers,
    require('warplens.views').handlers,
    require('warplens.profiles').handlers,
    require('warplens.status').handlers
  ),
  commands = vim.tbl_extend(
    'error',
    require('warplens.follow').commands,
    require('warplens.kernel').commands,
    require('warplens.rule').commands,
    require('warplens.tune').commands
  ),
  on_init = function(client)
    require('warplens.large').follow(client)
  end,
  on_exit = function(...)
    require('warplens.restart').exited(...)
  end,
  root_markers = { 'warplens.toml', '.git' },
  settings = {
    warplens = {
      -- Empty: the usual GPU of the architecture that the file names.
      gpu = '',
    },
  },
}
