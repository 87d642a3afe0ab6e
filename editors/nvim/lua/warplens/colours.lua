--- Colours of what the server tells apart and most colour schemes do not: kinds of registers, above all.

local M = {}

--- The server's kinds that Neovim's own scheme leaves white, and a group that it and others colour.
local LINKS = {
  variable = 'Identifier', -- a register
  parameter = 'Special', -- a uniform register
  enumMember = 'Special', -- a predicate
  event = 'Special', -- a scoreboard or barrier
  type = 'String', -- a special register
}

--- Only where neither the user nor the colour scheme says something of listings or of PTX.
function M.register()
  for _, filetype in ipairs(require('warplens.filetype').OURS) do
    for kind, group in pairs(LINKS) do
      vim.cmd(('highlight default link @lsp.type.%s.%s %s'):format(kind, filetype, group))
    end
  end
end

return M
