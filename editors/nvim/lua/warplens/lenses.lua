--- Code lenses: the lines above kernels and loops.
---
--- Neovim's own display puts all lenses of a line into one row, which is too long for a window if a kernel has several
--- launches. It also loses the title of a lens if a second answer arrives while the lenses of the first are being resolved.
--- The plugin therefore draws a row for each lens, in the order of the answer.

local kept = require('warplens.kept')

local M = {}

local METHOD = 'textDocument/codeLens'
local RESOLVE = 'codeLens/resolve'
local REFRESH = 'workspace/codeLens/refresh'

--- Pause in typing, in milliseconds, before the lenses are requested again.
local REST_MS = 200

---@class warplens.Row
---@field line integer from 0
---@field lenses lsp.CodeLens[] in the order of the answer
---@field titles table<integer, string> by the index of the lens
---@field asked table<integer, true> indices of the lenses whose resolution was requested
---@field mark? integer the extmark

---@class warplens.Lenses
---@field answer warplens.Kept
---@field rows warplens.Row[]
---@field pending integer number of lenses that have no command and were not requested

local space = vim.api.nvim_create_namespace('warplens.lenses')

--- By buffer.
---@type table<integer, warplens.Lenses>
local shown = {}

--- Whether Neovim itself draws the lenses of a buffer. They would then appear twice.
---@param buffer integer
---@return boolean
local function are_neovims(buffer)
  local lens = vim.lsp.codelens
  return lens.is_enabled ~= nil and lens.is_enabled({ bufnr = buffer })
end

--- Scrolls the windows at the top of a buffer so that they show `count` virtual lines above its first line.
---@param buffer integer
---@param count integer
local function show_above_first(buffer, count)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    vim.api.nvim_win_call(window, function()
      if vim.fn.winsaveview().topline == 1 then
        vim.fn.winrestview({ topfill = count })
      end
    end)
  end
end

---@param buffer integer
---@param row warplens.Row
local function draw(buffer, row)
  if row.line >= vim.api.nvim_buf_line_count(buffer) then
    return
  end
  local lines = {}
  for index = 1, #row.lenses do
    lines[index] = { { row.titles[index] or '', 'LspCodeLens' } }
  end
  row.mark = vim.api.nvim_buf_set_extmark(buffer, space, row.line, 0, {
    id = row.mark,
    virt_lines = lines,
    virt_lines_above = true,
    virt_lines_overflow = 'scroll',
    hl_mode = 'combine',
  })
  if row.line == 0 then
    show_above_first(buffer, #lines)
  end
end

--- Returns a key for the subject of an unresolved lens. The same subject in a later answer has the same key; it is empty if
--- the lens has no data.
---@param lens lsp.CodeLens
---@return string
local function key_of(lens)
  local data = lens.data
  return type(data) == 'table' and vim.inspect({ data.kernel, data.of }) or ''
end

--- Returns the present titles by the keys of their lenses. They stay until there are newer ones, so that nothing flickers.
---@param own warplens.Lenses
---@return table<string, string>
local function titles_before(own)
  local titles = {}
  for _, row in ipairs(own.rows) do
    for index, lens in ipairs(row.lenses) do
      titles[key_of(lens)] = row.titles[index]
    end
  end
  titles[''] = nil
  return titles
end

--- Draws the answer to the newest request. Lenses are resolved when they are in view.
---@param buffer integer
---@param own warplens.Lenses
---@param lenses lsp.CodeLens[]
local function take(buffer, own, lenses)
  local before = titles_before(own)
  local rows, by_line = {}, {}
  local pending = 0
  for _, lens in ipairs(lenses) do
    local line = lens.range.start.line
    local row = by_line[line]
    if not row then
      row = { line = line, lenses = {}, titles = {}, asked = {} }
      by_line[line] = row
      rows[#rows + 1] = row
    end
    row.lenses[#row.lenses + 1] = lens
    row.titles[#row.lenses] = lens.command and lens.command.title or before[key_of(lens)]
    pending = pending + (lens.command and 0 or 1)
  end
  own.rows, own.pending = rows, pending
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for _, row in ipairs(rows) do
    draw(buffer, row)
  end
end

--- Resolves the lenses of a row and draws their titles.
---@param buffer integer
---@param own warplens.Lenses
---@param row warplens.Row
local function resolve(buffer, own, row)
  local client = vim.lsp.get_client_by_id(own.answer.client)
  for index, lens in ipairs(row.lenses) do
    if client and not lens.command and not row.asked[index] then
      row.asked[index] = true
      own.pending = own.pending - 1
      client:request(RESOLVE, lens, function(err, said)
        local is_current = shown[buffer] == own and vim.list_contains(own.rows, row)
        if err or not is_current or not vim.api.nvim_buf_is_loaded(buffer) then
          return
        end
        if said.command then
          row.titles[index] = said.command.title
          row.lenses[index].command = said.command
          -- The text may have changed meanwhile; the mark has moved with it.
          local at = row.mark and vim.api.nvim_buf_get_extmark_by_id(buffer, space, row.mark, {})[1]
          row.line = at or row.line
          draw(buffer, row)
          -- A lens simulates all of a launch, so the shares may be more exact now.
          require('warplens.heat').refresh_soon(buffer)
        end
      end, buffer)
    end
  end
end

vim.api.nvim_set_decoration_provider(space, {
  on_win = function(_, _, buffer, top, bottom)
    local own = shown[buffer]
    if not own or own.pending == 0 then
      return
    end
    for _, row in ipairs(own.rows) do
      -- Requests may run handlers, which must not change what is being drawn.
      if top <= row.line and row.line <= bottom then
        vim.schedule(function()
          resolve(buffer, own, row)
        end)
      end
    end
  end,
})

---@param buffer integer
local function forget(buffer)
  local own = shown[buffer]
  shown[buffer] = nil
  if own then
    own.answer:stop()
  end
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

--- Draws the lenses of a buffer and keeps them up to date, unless Neovim draws them.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  if are_neovims(buffer) then
    return
  end
  forget(buffer)
  local own = { rows = {}, pending = 0 }
  own.answer = kept.keep(client, buffer, {
    name = 'lenses',
    method = METHOD,
    rest_ms = REST_MS,
    take = function(lenses)
      take(buffer, own, lenses)
    end,
    forget = function()
      forget(buffer)
    end,
  })
  shown[buffer] = own
  vim.api.nvim_buf_attach(buffer, false, {
    -- `:edit!` removes the marks even if the text stays the same.
    on_reload = function()
      if shown[buffer] ~= own then
        return true
      end
      own.answer:ask_soon()
    end,
  })
  own.answer:ask()
end

--- Returns the titles above the lines of a buffer, in the order of the answer.
---@param buffer integer
---@return { line: integer, titles: string[] }[] lines from 0; a title that is not known yet is empty
function M.get(buffer)
  return vim.tbl_map(function(row)
    local titles = {}
    for index = 1, #row.lenses do
      titles[index] = row.titles[index] or ''
    end
    return { line = row.line, titles = titles }
  end, shown[buffer] and shown[buffer].rows or {})
end

---@type table<string, lsp.Handler>
M.handlers = {
  [REFRESH] = function(err, result, context)
    for _, own in pairs(shown) do
      if own.answer.client == context.client_id then
        own.answer:ask()
      end
    end
    -- The server has no other notification of changed settings, so everything else that depends on them is requested again.
    vim.api.nvim_exec_autocmds('User', {
      pattern = 'WarplensRefresh',
      modeline = false,
      data = { client_id = context.client_id },
    })
    -- For the buffers whose lenses Neovim draws.
    local neovims = vim.lsp.handlers[REFRESH]
    if neovims then
      neovims(err, result, context)
    end
    return vim.NIL
  end,
}

return M
