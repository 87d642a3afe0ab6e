-- The two lines of the README that a user writes, and nothing else.
vim.opt.runtimepath:append(vim.env.WARPLENS_ROOT .. '/editors/nvim')
vim.lsp.enable({ 'warplens', 'warplens_source' })
