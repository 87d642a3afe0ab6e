--- Buffer options of SASS.

if vim.b.did_ftplugin then
  return
end
vim.b.did_ftplugin = true

-- maxas and similar assemblers accept `#` and `//`; CuAssembler and NVIDIA's tools accept only `//`.
vim.bo.commentstring = '// %s'
vim.bo.comments = 's1:/*,mb:*,ex:*/,://,b:#'
-- A dot is not part of a word: `SR_TID.X` is two words, and the label `.L_x_8` is the word `L_x_8`.
vim.bo.iskeyword = '@,48-57,_,$'

vim.b.undo_ftplugin = 'setlocal commentstring< comments< iskeyword<'
