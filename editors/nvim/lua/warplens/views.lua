--- Views: windows next to a buffer with the PTX and SASS that it is compiled to, in sync with it.
--- Compilers run only in trusted folders: see `trust.lua`.

local LineMap = require('warplens.line_map')
local blocks = require('warplens.blocks')

local M = {}

local HIGHLIGHT = 'WarplensViewLine'
local REQUEST_CANCELLED = -32800

---@alias warplens.ViewKind 'sass'|'ptx'

---@class warplens.ViewTraits
---@field title string
---@field scheme string URI scheme of the names of its buffers
---@field ending string
---@field method string
---@field ability string experimental capability of servers that can make such a view
---@field is_of table<string, boolean> filetypes that are not compiled to such code

--- The kinds, in the order of their windows.
---@type warplens.ViewKind[]
local ORDER = { 'ptx', 'sass' }

---@type table<warplens.ViewKind, warplens.ViewTraits>
local KINDS = {
  ptx = {
    title = 'PTX',
    scheme = 'warplens-ptx',
    ending = '.ptx',
    method = 'warplens/showPtx',
    ability = 'showPtx',
    is_of = { ptx = true, nvsass = true },
  },
  sass = {
    title = 'SASS',
    scheme = 'warplens-sass',
    ending = '.nvsass',
    method = 'warplens/showSass',
    ability = 'showSass',
    is_of = { nvsass = true },
  },
}

local space = vim.api.nvim_create_namespace('warplens.views')

---@class warplens.ViewAnswer
---@field version integer of the source
---@field text? string
---@field languageId string
---@field reason? string
---@field remedy? 'trust'|'ptxas'|'nvcc'|'clang'|'disassembler'|'text'
---@field lines [integer, integer][]
---@field functions warplens.MappedFunction[]

---@class warplens.View
---@field source integer the buffer
---@field buffer integer
---@field map warplens.LineMap

--- The views, by the source's buffer.
---@type table<integer, table<warplens.ViewKind, warplens.View>>
local views = {}

--- The views, by their own buffers.
---@type table<integer, warplens.View>
local view_of = {}

--- Requests in progress, by the source's buffer.
---@type table<integer, table<warplens.ViewKind, { client: vim.lsp.Client, id: integer }>>
local runs = {}

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Returns the window of the current tab that shows a buffer; nil if no window does.
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

--- Returns the source of a view, or the buffer itself if it is not a view.
---@param buffer integer
---@return integer
local function source_of(buffer)
  return view_of[buffer] and view_of[buffer].source or buffer
end

--- Returns the buffers that are kept in sync with a buffer, including itself: the source, then its views.
---@param buffer integer
---@return integer[]
local function panes_of(buffer)
  local source = source_of(buffer)
  local panes = { source }
  for _, kind in ipairs(ORDER) do
    local view = views[source] and views[source][kind]
    panes[#panes + 1] = view and view.buffer
  end
  return panes
end

--- Returns the lines of the buffer `to` that belong to a line of the buffer `from`.
---@param from integer
---@param to integer
---@param line integer
---@return integer[]
local function others(from, to, line)
  local sources = view_of[from] and view_of[from].map:others('listing', line) or { line }
  if not view_of[to] then
    return sources
  end
  local lines = {}
  for _, source in ipairs(sources) do
    vim.list_extend(lines, view_of[to].map:others('source', source))
  end
  return lines
end

--- Returns the line of the buffer `to` to show next to a line of the buffer `from`; nil if there is no such line.
---@param from integer
---@param to integer
---@param line integer
---@return integer?
local function beside(from, to, line)
  local source = line
  if view_of[from] then
    source = view_of[from].map:beside('listing', line)
  end
  if source and view_of[to] then
    return view_of[to].map:beside('source', source)
  end
  return source
end

--- By the source's buffer: whether the blocks were painted when it was last checked.
---@type table<integer, boolean>
local is_coloured = {}

--- Paints the blocks of a source and its views, or removes them if the option is off.
---@param source integer
local function paint(source)
  local panes = vim.tbl_filter(vim.api.nvim_buf_is_valid, panes_of(source))
  is_coloured[source] = blocks.paint(vim.tbl_map(function(buffer)
    return { buffer = buffer, map = view_of[buffer] and view_of[buffer].map }
  end, panes))
end

--- Highlights the lines that belong to the cursor's line in the other windows, and scrolls them to the same height.
local function follow()
  local own = vim.api.nvim_get_current_buf()
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local height = vim.fn.winline()
  local source = source_of(own)
  if views[source] and is_coloured[source] ~= blocks.are_wanted() then
    paint(source)
  end
  for _, pane in ipairs(panes_of(own)) do
    vim.api.nvim_buf_clear_namespace(pane, space, 0, -1)
    local lines = pane ~= own and others(own, pane, line) or {}
    for _, at in ipairs(lines) do
      vim.api.nvim_buf_set_extmark(pane, space, within(pane, at), 0, { line_hl_group = HIGHLIGHT })
    end
    -- No lines belong to a line that was just edited, and the other windows do not move while the user types in it.
    local view = view_of[own] or view_of[pane]
    local moves = lines[1] or view and not view.map.is_overtaken
    local window, place = window_of(pane), beside(own, pane, line)
    if pane ~= own and moves and window and place then
      place = within(pane, place) + 1
      vim.api.nvim_win_set_cursor(window, { place, 0 })
      vim.api.nvim_win_call(window, function()
        vim.fn.winrestview({ topline = math.max(1, place - height + 1) })
      end)
    end
  end
end

--- Forgets a view. With the last view, also removes the autocommands and the highlights of the source.
---@param source integer
---@param kind warplens.ViewKind
local function part(source, kind)
  local own = views[source] or {}
  if own[kind] then
    blocks.clear(own[kind].buffer)
    view_of[own[kind].buffer] = nil
    own[kind] = nil
  end
  if next(own) == nil then
    views[source] = nil
  end
  -- Scheduled, because an autocommand of the group must not delete the group.
  vim.schedule(function()
    if not views[source] then
      pcall(vim.api.nvim_del_augroup_by_name, 'warplens.views.' .. source)
      if vim.api.nvim_buf_is_valid(source) then
        vim.api.nvim_buf_clear_namespace(source, space, 0, -1)
      end
    end
    paint(source)
  end)
end

---@param source integer
local function keep_in_step(source)
  local group = vim.api.nvim_create_augroup('warplens.views.' .. source, {})
  for _, buffer in ipairs(panes_of(source)) do
    vim.api.nvim_create_autocmd({ 'CursorMoved', 'WinScrolled', 'BufEnter' }, {
      group = group,
      buffer = buffer,
      desc = 'Keep the source and its views in sync',
      callback = follow,
    })
    vim.api.nvim_create_autocmd('BufWipeout', {
      group = group,
      buffer = buffer,
      desc = 'Stop keeping the source and its views in sync',
      callback = function()
        for kind, view in pairs(vim.deepcopy(views[source] or {}, true)) do
          if buffer == source or buffer == view.buffer then
            part(source, kind)
          end
        end
      end,
    })
  end
  vim.api.nvim_create_autocmd('BufWritePost', {
    group = group,
    buffer = source,
    desc = 'Recompile sources that have views',
    callback = function()
      local client = require('warplens.clients').all(source)[1]
      if client and vim.tbl_get(client.settings or {}, 'warplens', 'ptxas', 'onSave') then
        for kind in pairs(views[source]) do
          M.show(kind, source)
        end
      end
    end,
  })
end

--- Updates the line maps after edits of a source, as long as it has views.
---@param source integer
local function follow_edits(source)
  local own = views[source]
  vim.api.nvim_buf_attach(source, false, {
    on_lines = function(_, _, _, first, last, new_last)
      -- Views that are opened after these have been closed add another listener.
      if views[source] ~= own then
        return true
      end
      for _, view in pairs(own) do
        view.map:edited(first, last, new_last)
      end
    end,
  })
end

--- Returns the buffer with a view's name, by which the server knows it; creates it if necessary.
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

---@param source integer
---@param kind warplens.ViewKind
---@return string uri, string name
local function names(source, kind)
  local uri = vim.uri_from_bufnr(source)
  return uri, KINDS[kind].scheme .. ':' .. uri:gsub('^%a[%w+.-]*:', '') .. KINDS[kind].ending
end

--- Replaces the text of a view. Its windows keep their positions.
---@param buffer integer
---@param text string
local function set_text(buffer, text)
  local places = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    places[window] = vim.api.nvim_win_call(window, vim.fn.winsaveview)
  end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(text:gsub('\n$', ''), '\n'))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  for window, place in pairs(places) do
    vim.api.nvim_win_call(window, function()
      vim.fn.winrestview(place)
    end)
  end
end

--- Scrolls a new window to the first instruction, past the names and sections that precede the code.
---@param window integer
---@param buffer integer
---@param answer warplens.ViewAnswer
local function go_to_code(window, buffer, answer)
  local first = vim.iter(answer.lines):fold(math.huge, function(least, pair)
    return math.min(least, pair[1])
  end)
  if first == math.huge then
    return
  end
  -- The first instructions of a function may have no source line.
  local above = vim.api.nvim_buf_get_lines(buffer, 0, first, false)
  while first > 0 and above[first]:find('^%s*/%*') do
    first = first - 1
  end
  vim.api.nvim_win_set_cursor(window, { within(buffer, first) + 1, 0 })
  vim.api.nvim_win_call(window, function()
    vim.cmd('normal! zt')
  end)
end

---@param client vim.lsp.Client
---@param source integer
---@param kind warplens.ViewKind
---@param answer warplens.ViewAnswer
local function present(client, source, kind, answer)
  local _, name = names(source, kind)
  local buffer = buffer_named(name)
  set_text(buffer, answer.text)
  -- Neovim itself attaches no client to a buffer without a file, so each hint appears once.
  vim.bo[buffer].buftype = 'nofile'
  vim.b[buffer].warplens_view = true
  if vim.bo[buffer].filetype ~= answer.languageId then
    vim.bo[buffer].filetype = answer.languageId
  end
  if not vim.lsp.buf_is_attached(buffer, client.id) then
    vim.lsp.buf_attach_client(buffer, client.id)
  end
  local is_first = views[source] == nil
  views[source] = views[source] or {}
  local view = { source = source, buffer = buffer, map = LineMap.new(answer.lines, answer.functions) }
  views[source][kind], view_of[buffer] = view, view
  if not window_of(buffer) then
    local last = vim.iter(panes_of(source)):map(window_of):last()
    local window = vim.api.nvim_open_win(buffer, false, { win = last or 0, split = 'right' })
    -- Mangled names and encodings are longer than any window.
    vim.wo[window][0].wrap = false
    go_to_code(window, buffer, answer)
  end
  keep_in_step(source)
  if is_first then
    follow_edits(source)
  end
  paint(source)
  follow()
end

---@param answer warplens.ViewAnswer
local function explain(answer)
  local help = ''
  if answer.remedy == 'trust' then
    help = require('warplens.trust').help()
  elseif answer.remedy == 'text' then
    help = '; see its diagnostics'
  end
  say(answer.reason .. help, vim.log.levels.WARN)
end

--- Shows the code of a buffer in a window next to it. The server compiles the text, saved or not, or uses code that it has.
---@param kind warplens.ViewKind
---@param buffer? integer the current one if nil; for a view, its source is used
function M.show(kind, buffer)
  local source = source_of(buffer or vim.api.nvim_get_current_buf())
  local traits = KINDS[kind]
  if traits.is_of[vim.bo[source].filetype] then
    local own = vim.bo[source].filetype == 'ptx' and 'PTX' or 'SASS'
    return say(('this buffer is already %s'):format(own), vim.log.levels.WARN)
  end
  local client = require('warplens.clients').all(source)[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  if not vim.tbl_get(client.server_capabilities or {}, 'experimental', traits.ability) then
    return say(('this server cannot show %s; install a newer one'):format(traits.title), vim.log.levels.WARN)
  end
  local uri, name = names(source, kind)
  local asked = { textDocument = { uri = uri }, listing = name }
  runs[source] = runs[source] or {}
  ---@param answer? warplens.ViewAnswer
  local started, id = client:request(traits.method, asked, function(err, answer)
    runs[source][kind] = nil
    if err then
      if err.code ~= REQUEST_CANCELLED then
        say(err.message, vim.log.levels.ERROR)
      end
      return
    end
    if type(answer.reason) == 'string' then
      explain(answer)
    end
    if type(answer.text) == 'string' and vim.api.nvim_buf_is_loaded(source) then
      present(client, source, kind, answer)
    end
  end, source)
  runs[source][kind] = started and id and { client = client, id = id } or nil
end

--- Stops the compilers that run for the current buffer.
function M.stop()
  local source = source_of(vim.api.nvim_get_current_buf())
  local own = runs[source] or {}
  if next(own) == nil then
    return say('nothing is being compiled')
  end
  -- Neovim does not call the handler of a request that it has cancelled.
  runs[source] = {}
  for _, run in pairs(own) do
    run.client:cancel_request(run.id)
  end
  say('stopped compiling')
end

--- Moves the cursor to the line that belongs to its line in the next window: from the source to its PTX, to its SASS, and
--- back.
function M.jump()
  local own = vim.api.nvim_get_current_buf()
  local shown = vim.tbl_filter(window_of, panes_of(own))
  local at = vim.fn.index(shown, own)
  local next_one = shown[(at + 1) % #shown + 1]
  if next_one == own then
    return say('no PTX or SASS of this buffer is shown: :WarplensPtx, :WarplensSass', vim.log.levels.WARN)
  end
  local place = beside(own, next_one, vim.api.nvim_win_get_cursor(0)[1] - 1)
  vim.cmd("normal! m'")
  vim.api.nvim_set_current_win(assert(window_of(next_one)))
  if place then
    vim.api.nvim_win_set_cursor(0, { within(next_one, place) + 1, 0 })
  end
end

--- Updates a view to the newest code. Failures are not reported, because the user did not request the update.
---@param client vim.lsp.Client
---@param source integer
---@param kind warplens.ViewKind
local function renew(client, source, kind)
  local uri, name = names(source, kind)
  ---@param answer? warplens.ViewAnswer
  client:request(KINDS[kind].method, { textDocument = { uri = uri }, listing = name }, function(err, answer)
    local is_shown = views[source] and views[source][kind]
    -- After an edit, newer code follows.
    local is_current = not err and answer and answer.version == vim.lsp.util.buf_versions[source]
    if is_shown and is_current and type(answer.text) == 'string' then
      present(client, source, kind, answer)
    end
  end, source)
end

---@type table<string, lsp.Handler>
M.handlers = {
  ['warplens/codeChanged'] = function(_, params, context)
    local source = vim.uri_to_bufnr(params.textDocument.uri)
    local client = vim.lsp.get_client_by_id(context.client_id)
    -- The shares of a source's lines depend on its code.
    require('warplens.heat').refresh(source)
    if client then
      for kind in pairs(views[source] or {}) do
        renew(client, source, kind)
      end
    end
  end,
}

vim.api.nvim_set_hl(0, HIGHLIGHT, { link = 'Visual', default = true })

return M
