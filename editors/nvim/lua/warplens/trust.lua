--- Folders in which compilers and NVIDIA's tools may run. A repository determines how its sources are compiled, so it needs
--- the user's trust.
---
--- `disassemble` in `g:warplens` is a list of folders, or `true` for those that |:WarplensTrust| has remembered.

local M = {}

--- Roots of workspaces about which the user was notified in this session.
---@type table<string, true>
local told = {}

---@return string
local function file()
  return vim.fs.joinpath(vim.fn.stdpath('state') --[[@as string]], 'warplens', 'trusted.json')
end

--- Returns the real path of a folder, without a slash at its end.
---@param folder string
---@return string
local function real(folder)
  local path = vim.fs.normalize(folder)
  path = vim.uv.fs_realpath(path) or path
  return path == '/' and path or (path:gsub('/+$', ''))
end

--- Returns the folders that are remembered; an empty list if the file cannot be read.
---@return string[]
local function remembered()
  local opened = io.open(file())
  if not opened then
    return {}
  end
  local text = opened:read('*a')
  opened:close()
  local fine, folders = pcall(vim.json.decode, text)
  if not fine or type(folders) ~= 'table' then
    return {}
  end
  return vim.tbl_filter(function(folder)
    return type(folder) == 'string'
  end, folders)
end

---@param folders string[]
---@return string? why it failed
local function remember(folders)
  local path = file()
  vim.fn.mkdir(vim.fs.dirname(path), 'p', tonumber('700', 8))
  local opened, why = io.open(path, 'w')
  if not opened then
    return why
  end
  opened:write(#folders > 0 and vim.json.encode(folders) or '[]')
  opened:close()
end

---@param folder string
---@param within string
---@return boolean
local function is_within(folder, within)
  return folder == within or within == '/' or vim.startswith(folder, within .. '/')
end

--- Whether the option lets tools run, in trusted folders.
---@return boolean
function M.is_wanted()
  return require('warplens.options').get().disassemble ~= false
end

--- Whether tools may run in a workspace.
---@param root string?
---@return boolean
function M.allows(root)
  local stated = require('warplens.options').get().disassemble
  if not stated or not root or root == '' then
    return false
  end
  local folder = real(root)
  if type(stated) == 'table' then
    return vim.iter(stated):any(function(own)
      return is_within(folder, real(own))
    end)
  end
  return vim.list_contains(remembered(), folder)
end

--- Whether tools may run in a workspace. If the option lets them run but the workspace is not trusted, notifies the user
--- once how to trust it.
---@param root string?
---@return boolean
function M.ask(root)
  local allowed = M.allows(root)
  if not allowed and root and M.is_wanted() and not told[root] then
    told[root] = true
    vim.schedule(function()
      local text = 'warplens: compilers and tools do not run in %s; :WarplensTrust allows it'
      vim.notify(text:format(vim.fn.fnamemodify(root, ':~')), vim.log.levels.INFO)
    end)
  end
  return allowed
end

--- Returns the root of the workspace of a buffer or of the file at a path. For a file outside all workspaces, returns its
--- folder if the option lets tools run, otherwise nil.
---@param source integer|string
---@return string?
function M.root(source)
  local found = vim.fs.root(source, vim.lsp.config.warplens.root_markers)
  if found or not M.is_wanted() then
    return found
  end
  local name = type(source) == 'string' and source or vim.api.nvim_buf_get_name(source --[[@as integer]])
  if name == '' or name:find('^%a[%w+.-]*://') then
    return nil
  end
  return vim.fs.dirname(vim.fn.fnamemodify(name, ':p'))
end

--- Returns the end of a message about a tool that did not run, which says how to allow it.
---@return string
function M.help()
  return M.is_wanted() and '; :WarplensTrust allows it in this folder' or '; see `disassemble` in :help warplens-options'
end

--- Remembers or forgets that tools may run in the workspace of the current buffer, and restarts the servers.
---@param forget boolean
function M.change(forget)
  local stated = require('warplens.options').get().disassemble
  if stated ~= true then
    local text = stated and 'warplens: `disassemble` in g:warplens lists the folders that are trusted'
      or 'warplens: `disassemble` in g:warplens is off; see :help warplens-options'
    vim.notify(text, vim.log.levels.WARN)
    return
  end
  local root = M.root(0) or vim.fn.getcwd()
  local folder = real(root)
  local folders = vim.tbl_filter(function(own)
    return own ~= folder
  end, remembered())
  if not forget then
    folders[#folders + 1] = folder
  end
  table.sort(folders)
  local why = remember(folders)
  if why then
    vim.notify('warplens: ' .. why, vim.log.levels.ERROR)
    return
  end
  told[root] = true
  require('warplens.restart').restart()
  local text = forget and 'warplens: compilers and tools no longer run in %s' or 'warplens: compilers and tools may now run in %s'
  vim.notify(text:format(vim.fn.fnamemodify(folder, ':~')), vim.log.levels.INFO)
end

return M
