--- The server as Neovim's own client runs it: `vim.lsp.enable('warplens')`.
--- Change any of it with `vim.lsp.config('warplens', { ... })`.

---@type vim.lsp.Config
return {
  cmd = { 'warplens', 'lsp' },
  filetypes = { 'nvsass', 'ptx' },
  before_init = function(params)
    -- What runs on cubins and PTX is for the user to allow, not for the workspace: see |warplens-options|.
    local trusted = require('warplens.options').get().disassemble
    params.initializationOptions =
      vim.tbl_extend('force', params.initializationOptions or {}, { trusted = trusted })
    local told = { codeChangeNotification = true, profileChangeNotification = true }
    params.capabilities.experimental = vim.tbl_extend('force', params.capabilities.experimental or {}, told)
  end,
  handlers = vim.tbl_extend(
    'error',
    require('warplens.hints').handlers,
    require('warplens.views').handlers,
    require('warplens.profiles').handlers
  ),
  commands = require('warplens.follow').commands,
  on_exit = function(...)
    require('warplens.restart').exited(...)
  end,
  root_markers = { 'warplens.toml', '.git' },
  settings = {
    warplens = {
      -- Empty: the usual part of the architecture that the file names.
      gpu = '',
    },
  },
}
