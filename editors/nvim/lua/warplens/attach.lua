--- What is switched on in a buffer once the server has it.

local binary = require('warplens.binary')
local clients = require('warplens.clients')
local filetype = require('warplens.filetype')
local heat = require('warplens.heat')
local options = require('warplens.options')
local profiles = require('warplens.profiles')
local restart = require('warplens.restart')

local M = {}

--- Neovim 0.12 keeps lenses up to date by itself; 0.11 asks for them when told to.
---@param buffer integer
local function show_lenses(buffer)
  if vim.lsp.codelens.enable then
    vim.lsp.codelens.enable(true, { bufnr = buffer })
    return
  end
  local function refresh()
    vim.lsp.codelens.refresh({ bufnr = buffer })
  end
  refresh()
  vim.api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, {
    group = vim.api.nvim_create_augroup('warplens.lenses.' .. buffer, {}),
    buffer = buffer,
    desc = 'Bring the lines over kernels and loops up to date',
    callback = refresh,
  })
end

---@param buffer integer
local function fold_by_server(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local at = vim.wo[window][0]
    at.foldmethod = 'expr'
    at.foldexpr = 'v:lua.vim.lsp.foldexpr()'
    -- Open at first: a listing that shows nothing but a fold looks broken.
    at.foldlevel = 99
  end
end

---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  restart.remember(client, buffer)
  binary.tell(client, buffer)
  profiles.tell(client)
  heat.attach(buffer)
  local wanted = options.get()
  -- Neovim shows the hints of all servers of a buffer or of none, and where there is another one that is for the user to say.
  local is_alone = not clients.is_beside_another(client) or filetype.is_ours(buffer)
  if is_alone and wanted.inlay_hints and client:supports_method('textDocument/inlayHint', buffer) then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if wanted.code_lens and client:supports_method('textDocument/codeLens', buffer) then
    show_lenses(buffer)
  end
  if wanted.folding and client:supports_method('textDocument/foldingRange', buffer) then
    fold_by_server(buffer)
  end
end

return M
