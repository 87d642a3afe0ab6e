--- PTX and CUDA compiled by the server, the listing beside, and both in step; likewise a source whose compiled code is known.
--- Compilers run only where `g:warplens.disassemble` allows it.

local LineMap = require('warplens.line_map')

local M = {}

local METHOD = 'warplens/showSass'
local SCHEME = 'warplens-sass'
local HIGHLIGHT = 'WarplensSassLine'
local REQUEST_CANCELLED = -32800
--- Filetypes of which nothing is compiled.
local SASS = { nvsass = true }

local space = vim.api.nvim_create_namespace('warplens.sass')

---@class warplens.SassAnswer
---@field text? string
---@field languageId string
---@field reason? string
---@field remedy? 'trust'|'ptxas'|'nvcc'|'disassembler'|'text'
---@field lines [integer, integer][]
---@field functions warplens.MappedFunction[]

---@class warplens.SassPair
---@field source integer the buffer
---@field listing integer the buffer
---@field map warplens.LineMap

--- By either buffer.
---@type table<integer, warplens.SassPair>
local pairs_of = {}

--- The run under way, by the buffer of the source.
---@type table<integer, { client: vim.lsp.Client, id: integer }>
local runs = {}

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- The window of the current tab that shows a buffer.
---@param buffer integer
---@return integer?
local function window_of(buffer)
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return vim.api.nvim_win_get_buf(window) == buffer
  end)
end

---@param buffer integer
---@param line integer from 0
---@return integer
local function within(buffer, line)
  return math.max(0, math.min(line, vim.api.nvim_buf_line_count(buffer) - 1))
end

--- Lights up in the other window what belongs to the line at the cursor, and puts it at the same height.
local function follow()
  local buffer = vim.api.nvim_get_current_buf()
  local pair = pairs_of[buffer]
  if not pair then
    return
  end
  local side, other = 'source', pair.listing
  if buffer == pair.listing then
    side, other = 'listing', pair.source
  end
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  vim.api.nvim_buf_clear_namespace(other, space, 0, -1)
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  for _, at in ipairs(pair.map:others(side, line)) do
    vim.api.nvim_buf_set_extmark(other, space, within(other, at), 0, { line_hl_group = HIGHLIGHT })
  end
  local window, place = window_of(other), pair.map:beside(side, line)
  if window and place then
    local height = vim.fn.winline()
    place = within(other, place) + 1
    vim.api.nvim_win_set_cursor(window, { place, 0 })
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview({ topline = math.max(1, place - height + 1) })
    end)
  end
end

---@param pair warplens.SassPair
local function keep_in_step(pair)
  local group = vim.api.nvim_create_augroup('warplens.sass.' .. pair.source, {})
  for _, buffer in ipairs({ pair.source, pair.listing }) do
    vim.api.nvim_create_autocmd({ 'CursorMoved', 'WinScrolled', 'BufEnter' }, {
      group = group,
      buffer = buffer,
      desc = 'Keep the source and its SASS in step',
      callback = follow,
    })
    vim.api.nvim_create_autocmd('BufWipeout', {
      group = group,
      buffer = buffer,
      desc = 'Part the source and its SASS',
      callback = function()
        pairs_of[pair.source], pairs_of[pair.listing] = nil, nil
        vim.schedule(function()
          pcall(vim.api.nvim_del_augroup_by_id, group)
          if vim.api.nvim_buf_is_valid(pair.source) then
            vim.api.nvim_buf_clear_namespace(pair.source, space, 0, -1)
          end
        end)
      end,
    })
  end
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    buffer = pair.source,
    desc = 'Compile again what is shown as SASS',
    callback = function()
      local client = require('warplens.clients').all(pair.source)[1]
      if client and vim.tbl_get(client.settings or {}, 'warplens', 'ptxas', 'onSave') and window_of(pair.listing) then
        M.show(pair.source)
      end
    end,
  })
  vim.api.nvim_buf_attach(pair.source, false, {
    on_lines = function(_, _, _, first, last, new_last)
      -- Gone with the pair; a later pair of this buffer has a listener of its own.
      if pairs_of[pair.source] ~= pair then
        return true
      end
      pair.map:edited(first, last, new_last)
    end,
  })
end

--- The listing's buffer, which has the name that the server knows it by.
---@param name string
---@return integer
local function buffer_named(name)
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buffer) == name then
      return buffer
    end
  end
  local buffer = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buffer, name)
  vim.bo[buffer].bufhidden = 'wipe'
  return buffer
end

---@param client vim.lsp.Client
---@param source integer
---@param name string
---@param answer warplens.SassAnswer
local function present(client, source, name, answer)
  local listing = buffer_named(name)
  vim.bo[listing].modifiable = true
  local text = answer.text:gsub('\n$', '')
  vim.api.nvim_buf_set_lines(listing, 0, -1, false, vim.split(text, '\n'))
  vim.bo[listing].modifiable = false
  vim.bo[listing].modified = false
  vim.bo[listing].filetype = answer.languageId
  if not vim.lsp.buf_is_attached(listing, client.id) then
    vim.lsp.buf_attach_client(listing, client.id)
  end
  local pair = { source = source, listing = listing, map = LineMap.new(answer.lines, answer.functions) }
  pairs_of[source], pairs_of[listing] = pair, pair
  if not window_of(listing) then
    local beside = window_of(source) or 0
    vim.api.nvim_open_win(listing, false, { win = beside, split = 'right' })
  end
  keep_in_step(pair)
  follow()
end

---@param answer warplens.SassAnswer
local function explain(answer)
  local help = ''
  if answer.remedy == 'trust' then
    help = '; see `disassemble` in :help warplens-options'
  elseif answer.remedy == 'text' then
    help = '; see its diagnostics'
  end
  say(answer.reason .. help, vim.log.levels.WARN)
end

--- Compiles a buffer of PTX or CUDA, saved or not, or takes the code that is known of a source, and shows its listing in a window beside it.
---@param buffer? integer the current one without it
function M.show(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  if SASS[vim.bo[buffer].filetype] then
    return say('this buffer is SASS already', vim.log.levels.WARN)
  end
  local client = require('warplens.clients').all(buffer)[1]
  if not client then
    return say('no server has this buffer', vim.log.levels.WARN)
  end
  if not vim.tbl_get(client.server_capabilities or {}, 'experimental', 'showSass') then
    return say('this server cannot show SASS; install a newer one', vim.log.levels.WARN)
  end
  local uri = vim.uri_from_bufnr(buffer)
  local name = SCHEME .. ':' .. uri:gsub('^%a[%w+.-]*:', '') .. '.nvsass'
  ---@param answer? warplens.SassAnswer
  local started, id = client:request(METHOD, { textDocument = { uri = uri }, listing = name }, function(err, answer)
    runs[buffer] = nil
    if err then
      if err.code ~= REQUEST_CANCELLED then
        say(err.message, vim.log.levels.ERROR)
      end
      return
    end
    if type(answer.reason) == 'string' then
      explain(answer)
    end
    if type(answer.text) == 'string' and vim.api.nvim_buf_is_loaded(buffer) then
      present(client, buffer, name, answer)
    end
  end, buffer)
  runs[buffer] = started and id and { client = client, id = id } or nil
end

--- Stops the compiler that is at work on the current buffer.
function M.stop()
  local buffer = vim.api.nvim_get_current_buf()
  local run = runs[buffer]
  if not run then
    return say('nothing is being compiled')
  end
  -- Neovim does not tell of the answer to a request that it has cancelled.
  runs[buffer] = nil
  run.client:cancel_request(run.id)
  say('stopped compiling')
end

vim.api.nvim_set_hl(0, HIGHLIGHT, { link = 'Visual', default = true })

return M
