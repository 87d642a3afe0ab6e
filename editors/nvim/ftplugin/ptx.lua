--- Buffer options of PTX, beside those that Neovim has of its own.

-- Neovim's own plugin says how comments are written, and has said by now that the buffer's options are set.
if vim.b.warplens_did_ftplugin then
  return
end
vim.b.warplens_did_ftplugin = true
vim.b.did_ftplugin = true

vim.bo.commentstring = '// %s'
vim.bo.comments = 's1:/*,mb:*,ex:*/,://'
-- `%r1` and `$L__BB0_2` are a word each; a dot parts modifiers.
vim.bo.iskeyword = '@,48-57,_,$,%'
-- A line behind a `{` is indented: Neovim has no rules of its own for PTX.
vim.bo.smartindent = true

vim.b.undo_ftplugin = (vim.b.undo_ftplugin and vim.b.undo_ftplugin .. ' | ' or '')
  .. 'setlocal commentstring< comments< iskeyword< smartindent< | unlet! b:warplens_did_ftplugin'
