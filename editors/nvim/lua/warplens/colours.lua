--- Default highlights of semantic tokens that most colour schemes do not colour, mainly the kinds of registers.

local M = {}

--- Token types that Neovim's default scheme does not colour, each with a highlight group that most schemes colour.
local LINKS = {
  variable = 'Identifier', -- a register
  parameter = 'Special', -- a uniform register
  enumMember = 'Special', -- a predicate
  event = 'Special', -- a scoreboard or barrier
  type = 'String', -- a special register
}

--- Links the token types to these groups, unless the user or the colour scheme defines them for the filetype.
function M.register()
  for _, filetype in ipairs(require('warplens.filetype').OURS) do
    for kind, group in pairs(LINKS) do
      vim.cmd(('highlight default link @lsp.type.%s.%s %s'):format(kind, filetype, group))
    end
  end
end

return M
