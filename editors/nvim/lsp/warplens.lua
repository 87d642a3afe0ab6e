--- The server as Neovim's own client runs it: `vim.lsp.enable('warplens')`.
--- Change any of it with `vim.lsp.config('warplens', { ... })`.

---@type vim.lsp.Config
return {
  cmd = { 'warplens', 'lsp' },
  filetypes = { 'nvsass' },
  root_markers = { 'warplens.toml', '.git' },
  settings = {
    warplens = {
      -- Empty: the usual part of the architecture that the file names.
      gpu = '',
    },
  },
}
