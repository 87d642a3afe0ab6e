--- `:WarplensRule`: a window with the page of a rule, which says what it finds and why that matters, with examples.

local clients = require('warplens.clients')

local M = {}

local METHOD = 'warplens/rulePage'
local KEYS = 'gK'
local PLUG = '<Plug>(warplens-rule)'
--- Timeout of the request, in milliseconds. The server only looks into a table.
local PATIENCE = 1000
local SCHEME = 'warplens-rule:/'

---@class warplens.RulePage
---@field codes string[]
---@field text? string

---@param text string
local function say(text)
  vim.notify('warplens: ' .. text, vim.log.levels.WARN)
end

--- Returns the page of a rule, or without a code only the codes that have pages. Nil if no server runs or the server is
--- too old.
---@param code? string
---@return warplens.RulePage?
local function ask(code)
  local client = clients.all()[1]
  local answer = client and client:request_sync(METHOD, code and { code = code } or vim.empty_dict(), PATIENCE)
  return answer and not answer.err and answer.result or nil
end

--- Returns the codes of the findings in the cursor's line, each once.
---@return string[]
local function codes_here()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local codes = {}
  for _, finding in ipairs(vim.diagnostic.get(0, { lnum = line })) do
    local code = finding.source == 'warplens' and finding.code
    if code and not vim.list_contains(codes, code) then
      codes[#codes + 1] = code
    end
  end
  return codes
end

---@param code string
---@param text string
local function open(code, text)
  local buffer = vim.fn.bufadd(SCHEME .. code .. '.md')
  vim.fn.bufload(buffer)
  vim.bo[buffer].buftype = 'nofile'
  vim.bo[buffer].bufhidden = 'wipe'
  vim.bo[buffer].swapfile = false
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(text), '\n'))
  vim.bo[buffer].modified = false
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].filetype = 'markdown'
  local window = vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return vim.startswith(vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(window)), SCHEME)
  end)
  if window then
    vim.api.nvim_win_set_buf(window, buffer)
    vim.api.nvim_set_current_win(window)
  else
    vim.api.nvim_open_win(buffer, true, { split = 'below', win = 0 })
  end
  vim.keymap.set('n', 'q', '<C-W>c', { buffer = buffer, desc = 'Close the page' })
end

---@param code string
local function show(code)
  local page = ask(code)
  if not page then
    return say('no server is running to show the page; open SASS or PTX first')
  end
  if type(page.text) ~= 'string' then
    return say(('there is no rule "%s"'):format(code))
  end
  open(code, page.text)
end

--- Shows the page of a rule. Without a code, shows the page of the finding in the cursor's line; if there are several, the
--- user chooses one.
---@param code? string
function M.show(code)
  if code then
    return show(code)
  end
  local codes = codes_here()
  if #codes == 0 then
    return say('this line has no finding with a rule; name a rule, as in :WarplensRule bank-conflict')
  end
  if #codes == 1 then
    return show(codes[1])
  end
  vim.ui.select(codes, { prompt = 'Page of the rule' }, function(chosen)
    if chosen then
      show(chosen)
    end
  end)
end

--- Whether `name_pages` has run.
local is_named = false

--- Codes that have a page. Empty until the server has answered.
---@type table<string, true>
local has_page = {}

--- Makes the window of |vim.diagnostic.open_float()| say how to open the page of a finding's rule, unless the user's
--- configuration sets `float.suffix` or makes `float` a function.
local function name_pages()
  if is_named then
    return
  end
  is_named = true
  local float = vim.diagnostic.config().float
  if type(float) == 'function' or type(float) == 'table' and float.suffix ~= nil then
    return
  end
  local function suffix(finding)
    -- Neovim's default suffix.
    local code = finding.code and (' [%s]'):format(finding.code) or ''
    if finding.source ~= 'warplens' or not has_page[finding.code] or not require('warplens.options').get().rule_pages then
      return code, 'NormalFloat'
    end
    local is_mapped = vim.fn.maparg(KEYS, 'n') == PLUG
    return ('%s (%s explains)'):format(code, is_mapped and KEYS or ':WarplensRule'), 'NormalFloat'
  end
  vim.diagnostic.config({ float = vim.tbl_extend('force', type(float) == 'table' and float or {}, { suffix = suffix }) })
end

--- Offers the pages of rules in a buffer: in the window of diagnostics, and at `gK` unless that is mapped.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  if require('warplens.options').get().rule_pages then
    name_pages()
    if not next(has_page) then
      client:request(METHOD, vim.empty_dict(), function(err, page)
        for _, code in ipairs(not err and type(page) == 'table' and page.codes or {}) do
          has_page[code] = true
        end
      end, buffer)
    end
  end
  if require('warplens.options').get().maps then
    vim.api.nvim_buf_call(buffer, function()
      if vim.fn.maparg(KEYS, 'n') == '' and vim.fn.hasmapto(PLUG, 'n') == 0 then
        vim.keymap.set('n', KEYS, PLUG, { buffer = buffer, remap = true, desc = 'Show the page of the finding in this line' })
      end
    end)
  end
end

--- Commands of code actions that the plugin itself runs.
---@type table<string, fun(command: lsp.Command)>
M.commands = {
  ['warplens.explainRule'] = function(command)
    show(command.arguments[1])
  end,
}

--- Returns the codes that start with the typed word, for completion on the command line.
---@param begun string
---@return string[]
function M.complete(begun)
  local page = ask()
  return vim.tbl_filter(function(code)
    return vim.startswith(code, begun)
  end, page and page.codes or {})
end

return M
