--- Warning about a missing program of the server. Neovim itself then starts nothing and reports nothing.

local M = {}

local has_warned = false

--- Notifies the user, once per session, if the server is enabled and its program is missing.
function M.warn_if_missing()
  local config = vim.lsp.config.warplens
  local is_wanted = not vim.lsp.is_enabled or vim.lsp.is_enabled('warplens')
  local program = config and type(config.cmd) == 'table' and config.cmd[1]
  if has_warned or not is_wanted or not program or vim.fn.executable(program) == 1 then
    return
  end
  has_warned = true
  local text = 'warplens: there is no program "%s" on $PATH, so nothing is shown; see :checkhealth warplens'
  vim.notify(text:format(program), vim.log.levels.WARN)
end

return M
