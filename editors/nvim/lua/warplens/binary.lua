--- Opens a cubin as its listing, which the server makes. A disassembler runs only in trusted folders: see `trust.lua`.

local M = {}

--- Timeout for a listing, in milliseconds. The server itself stops after two minutes.
local PATIENCE = 130000

---@param path string
---@return vim.lsp.Client?
local function client_for(path)
  local config = vim.deepcopy(vim.lsp.config.warplens)
  config.name = 'warplens'
  config.root_dir = require('warplens.trust').root(path)
  local id = vim.lsp.start(config, { attach = false })
  return id and vim.lsp.get_client_by_id(id)
end

--- By buffer: the id of the client whose server has read the cubin.
---@type table<integer, integer>
local read_by = {}

--- Makes the server of a client read the buffer's cubin if another server has read it before. The server needs the
--- cubin for the kernels' resources, which the listing does not contain.
---@param client vim.lsp.Client
---@param buffer integer
function M.tell(client, buffer)
  if read_by[buffer] and read_by[buffer] ~= client.id then
    read_by[buffer] = client.id
    client:request('warplens/openBinary', { uri = vim.uri_from_bufnr(buffer) }, function() end, buffer)
  end
end

--- Fills the buffer with the server's text for the file and makes it read-only. On failure, notifies the user and leaves
--- the buffer unchanged.
---@param buffer integer
---@param path string
function M.read(buffer, path)
  local client = client_for(path)
  local answer, why
  if client then
    -- The same URI as the buffer has when a client attaches to it.
    local params = { uri = vim.uri_from_fname(path) }
    answer, why = client:request_sync('warplens/openBinary', params, PATIENCE, buffer)
  end
  if answer and answer.err then
    why = answer.err.message
  end
  local opened = answer and answer.result
  if not opened then
    vim.notify('warplens: ' .. (why or 'the server did not start'), vim.log.levels.ERROR)
    return
  end
  read_by[buffer] = client.id
  vim.bo[buffer].modifiable = true
  local text = opened.text:gsub('\n$', '')
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text, '\n'))
  vim.bo[buffer].modified = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].readonly = true
  vim.bo[buffer].swapfile = false
  vim.b[buffer].warplens_view = true
  vim.bo[buffer].filetype = opened.languageId
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.wo[window][0].wrap = false
  end
  if type(opened.reason) == 'string' then
    local trust = require('warplens.trust')
    local help = trust.allows(client.root_dir) and '' or trust.help()
    vim.notify('warplens: ' .. opened.reason .. help, vim.log.levels.WARN)
  end
end

function M.register()
  local group = vim.api.nvim_create_augroup('warplens.binary', {})
  vim.api.nvim_create_autocmd('BufReadCmd', {
    group = group,
    pattern = '*.cubin',
    desc = 'Show a cubin as its listing',
    callback = function(event)
      M.read(event.buf, vim.fn.fnamemodify(event.match, ':p'))
    end,
  })
  vim.api.nvim_create_autocmd('BufWriteCmd', {
    group = group,
    pattern = '*.cubin',
    desc = 'Keep a listing from overwriting the cubin',
    callback = function()
      local why = 'warplens: a listing cannot overwrite its cubin; give :write another name'
      vim.notify(why, vim.log.levels.ERROR)
    end,
  })
end

return M
