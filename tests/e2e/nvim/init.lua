-- What a user writes, and no more: the README's two lines.
vim.opt.runtimepath:append(vim.env.WARPLENS_ROOT .. '/editors/nvim')
vim.lsp.enable({ 'warplens', 'warplens_source' })
