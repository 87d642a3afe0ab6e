--- Buffer options of SASS.

if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

-- The assemblers of maxas and its kin take `#` and `//`, CuAssembler and the vendor's tools `//` alone.
vim.bo.commentstring = '// %s'
vim.bo.comments = 's1:/*,mb:*,ex:*/,://,b:#'
-- `SR_TID.X` and `.L_x_8` are two words and one: a dot parts modifiers, but belongs to a label.
vim.bo.iskeyword = '@,48-57,_,$'

vim.b.undo_ftplugin = 'setlocal commentstring< comments< iskeyword<'
