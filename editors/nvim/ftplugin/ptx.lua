--- Buffer options of PTX.

-- Neovim's ftplugin for PTX sets 'commentstring' and b:did_ftplugin, and may have run first. This file therefore has
-- a separate guard.
if vim.b.warplens_did_ftplugin then
  return
end
vim.b.warplens_did_ftplugin = true
vim.b.did_ftplugin = true

vim.bo.commentstring = '// %s'
vim.bo.comments = 's1:/*,mb:*,ex:*/,://'
-- `%r1` and `$L__BB0_2` are one word each. A dot separates modifiers.
vim.bo.iskeyword = '@,48-57,_,$,%'
-- Neovim has no indentation rules for PTX; this option indents the lines after a `{`.
vim.bo.smartindent = true

vim.b.undo_ftplugin = (vim.b.undo_ftplugin and vim.b.undo_ftplugin .. ' | ' or '')
  .. 'setlocal commentstring< comments< iskeyword< smartindent< | unlet! b:warplens_did_ftplugin'
