--- Setup of a buffer when a client of the server attaches to it.

local binary = require('warplens.binary')
local clients = require('warplens.clients')
local completion = require('warplens.completion')
local filetype = require('warplens.filetype')
local folds = require('warplens.folds')
local heat = require('warplens.heat')
local hot = require('warplens.hot')
local large = require('warplens.large')
local lenses = require('warplens.lenses')
local options = require('warplens.options')
local profiles = require('warplens.profiles')
local relations = require('warplens.relations')
local restart = require('warplens.restart')
local rule = require('warplens.rule')

local M = {}

---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  restart.remember(client, buffer)
  large.follow(client)
  -- `warplens.toml` has no hints and no lenses, and uses Neovim's folding.
  if filetype.is_launch_file(buffer) then
    return
  end
  binary.tell(client, buffer)
  profiles.tell(client)
  heat.attach(buffer)
  hot.map(buffer)
  relations.attach(buffer)
  rule.attach(client, buffer)
  local wanted = options.get()
  -- Neovim shows the inlay hints of all servers of a buffer or of none. If there is another server, the user decides.
  local is_alone = not clients.is_beside_another(client) or filetype.is_ours(buffer)
  if is_alone and wanted.inlay_hints and client:supports_method('textDocument/inlayHint', buffer) then
    vim.lsp.inlay_hint.enable(true, { bufnr = buffer })
  end
  if wanted.code_lens and client:supports_method('textDocument/codeLens', buffer) then
    lenses.attach(client, buffer)
  end
  if wanted.completion and client:supports_method('textDocument/completion', buffer) then
    completion.attach(client, buffer)
  end
  if wanted.folding and client:supports_method('textDocument/foldingRange', buffer) then
    folds.attach(client, buffer)
  end
end

return M
