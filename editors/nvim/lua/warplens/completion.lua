--- Completion while the user types, through Neovim's own completion.

local filetype = require('warplens.filetype')

local M = {}

--- Flags of 'completeopt' for proposals while typing: a menu even for a single proposal, no insertion of a proposal that
--- was not chosen, and a window that explains the selected one.
local NEEDED = { 'menuone', 'noselect', 'popup' }

---@param buffer integer
local function set_options(buffer)
  local flags = vim.split(vim.o.completeopt, ',', { trimempty = true })
  for _, flag in ipairs(NEEDED) do
    local has = vim.list_contains(flags, flag) or flag == 'noselect' and vim.list_contains(flags, 'noinsert')
    if not has then
      flags[#flags + 1] = flag
    end
  end
  vim.bo[buffer].completeopt = table.concat(flags, ',')
end

--- Adds all letters to the trigger characters of a client for SASS and PTX, because opcodes and registers start with a
--- letter.
---@param client vim.lsp.Client
local function add_letters(client)
  local provider = client.server_capabilities.completionProvider
  local triggers = provider and provider.triggerCharacters or {}
  if not provider or vim.list_contains(triggers, 'A') then
    return
  end
  for letter in ('abcdefghijklmnopqrstuvwxyz'):gmatch('.') do
    vim.list_extend(triggers, { letter, letter:upper() })
  end
  provider.triggerCharacters = triggers
end

---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  if filetype.is_ours(buffer) then
    add_letters(client)
    set_options(buffer)
  end
  vim.lsp.completion.enable(true, client.id, buffer, { autotrigger = true })
end

return M
