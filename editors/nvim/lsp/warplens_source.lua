--- A second client of the server, which adds costs to a language that has another server:
--- `vim.lsp.enable('warplens_source')` enables it.
---
--- It has no capability that would make Neovim choose between two servers: the other server renames and formats, and
--- this one answers completion and definition requests only in the strings of CUDA's `asm` statements. It is a separate
--- client because the capabilities of a client apply to all its buffers.
--- The values of `vim.lsp.config('warplens', { ... })` apply here, too.

---@type vim.lsp.Config
return {
  cmd = function(dispatchers, config)
    local cmd = vim.lsp.config.warplens.cmd
    if type(cmd) == 'function' then
      return cmd(dispatchers, config)
    end
    config = config or {}
    local how = { cwd = config.cmd_cwd, env = config.cmd_env, detached = config.detached }
    return vim.lsp.rpc.start(cmd, dispatchers, how)
  end,
  filetypes = require('warplens.filetype').SHARED,
  root_dir = function(buffer, start)
    local own = vim.lsp.config.warplens
    -- For the other languages, costs come from the output of a build, which a `warplens.toml` names.
    local is_read = vim.list_contains(require('warplens.filetype').READ, vim.bo[buffer].filetype)
    if not is_read and not vim.fs.root(buffer, 'warplens.toml') then
      return
    end
    -- Like Neovim with a command that is a list: without the program, nothing is started and nothing is reported.
    if type(own.cmd) == 'function' or vim.fn.executable(own.cmd[1]) == 1 then
      start(require('warplens.trust').root(buffer))
    end
  end,
  before_init = function(params, config)
    local own = vim.lsp.config.warplens
    params.initializationOptions =
      vim.tbl_extend('force', own.init_options or {}, params.initializationOptions or {}, { costsOnly = true })
    -- Changed in place, because the client already refers to this table.
    local settings = vim.tbl_get(own, 'settings', 'warplens') or {}
    config.settings.warplens = vim.tbl_deep_extend('force', settings, config.settings.warplens or {})
    if own.before_init then
      own.before_init(params, config)
    end
  end,
  handlers = vim.tbl_extend(
    'error',
    {
      -- The client `warplens` has `warplens.toml` open and reports the same diagnostics.
      ['textDocument/publishDiagnostics'] = function(err, result, context)
        local is_launch_file = result and vim.fs.basename(vim.uri_to_fname(result.uri)) == 'warplens.toml'
        if not (is_launch_file and vim.lsp.is_enabled and vim.lsp.is_enabled('warplens')) then
          vim.lsp.diagnostic.on_publish_diagnostics(err, result, context)
        end
      end,
    },
    require('warplens.hints').handlers,
    require('warplens.lenses').handlers,
    require('warplens.views').handlers,
    require('warplens.profiles').handlers,
    require('warplens.status').handlers
  ),
  commands = vim.tbl_extend(
    'error',
    require('warplens.follow').commands,
    require('warplens.kernel').commands,
    require('warplens.rule').commands,
    require('warplens.tune').commands
  ),
  on_init = function(client)
    require('warplens.large').follow(client)
  end,
  on_exit = function(...)
    require('warplens.restart').exited(...)
  end,
  settings = { warplens = {} },
}
