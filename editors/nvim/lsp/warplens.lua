--- Configuration of the server for Neovim's LSP client; `vim.lsp.enable('warplens')` enables it.
--- `vim.lsp.config('warplens', { ... })` overrides any of these values.

---@type vim.lsp.Config
return {
  cmd = { 'warplens', 'lsp' },
  filetypes = { 'nvsass', 'ptx', 'toml' },
  root_dir = function(buffer, start)
    -- The only TOML file that the server reads is `warplens.toml`.
    local filetype = require('warplens.filetype')
    if filetype.is_ours(buffer) or filetype.is_launch_file(buffer) then
      start(require('warplens.trust').root(buffer))
    end
  end,
  before_init = function(params, config)
    -- Only the user can allow tools to run on cubins and PTX. A workspace cannot allow it for itself: see |warplens-options|.
    local trusted = require('warplens.trust').ask(config and config.root_dir)
    params.initializationOptions =
      vim.tbl_extend('force', params.initializationOptions or {}, { trusted = trusted, tuneCommand = true })
    local told = {
      codeChangeNotification = true,
      profileChangeNotification = true,
      serverStatusNotification = true,
      explainRule = true,
    }
    -- The plugin draws the lenses and handles their refresh. Neovim 0.11 itself does not announce this capability.
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
      -- If empty, the usual GPU of the architecture that the file names.
      gpu = '',
    },
  },
}
