--- Hints of large buffers: requested only for the lines in view and some around them, and drawn by the plugin.
---
--- Hints stay until there are newer ones, so that the text does not jump. |vim.lsp.inlay_hint.enable()| switches them on and
--- off.

local large = require('warplens.large')

local M = {}

local METHOD = 'textDocument/inlayHint'
--- Lines above and below a window that are requested with it.
local MARGIN = 150
--- Smallest time between requests while the user scrolls, in milliseconds.
local PAUSE_MS = 40

local space = vim.api.nvim_create_namespace('warplens.hints')

---@class warplens.Lines
---@field first integer from 0
---@field last integer exclusive

---@class warplens.ViewHints
---@field client vim.lsp.Client
---@field turn integer number of the last refresh: answers to earlier requests are dropped
---@field asked warplens.Lines[] lines that were requested since the last refresh
---@field is_waiting boolean a request will be sent after the pause
---@field is_clear boolean nothing is drawn

---@type table<integer, warplens.ViewHints>
local views = {}

---@param own warplens.ViewHints
---@param first integer
---@param last integer
---@return boolean
local function is_asked(own, first, last)
  return vim.iter(own.asked):any(function(lines)
    return lines.first <= first and last <= lines.last
  end)
end

--- Adds lines to the requested ones, and merges them with those that they touch.
---@param own warplens.ViewHints
---@param first integer
---@param last integer
local function add(own, first, last)
  own.asked = vim.tbl_filter(function(lines)
    if lines.last < first or last < lines.first then
      return true
    end
    first, last = math.min(first, lines.first), math.max(last, lines.last)
    return false
  end, own.asked)
  table.insert(own.asked, { first = first, last = last })
end

---@param hint lsp.InlayHint
---@return [string, string?][]
local function chunks_of(hint)
  local label = hint.label
  local text = type(label) == 'string' and label or vim.iter(label):map(function(part)
    return part.value
  end):join('')
  local chunks = { { text, 'LspInlayHint' } }
  if hint.paddingLeft then
    table.insert(chunks, 1, { ' ' })
  end
  if hint.paddingRight then
    table.insert(chunks, { ' ' })
  end
  return chunks
end

--- Replaces the hints of some lines.
---@param buffer integer
---@param own warplens.ViewHints
---@param first integer
---@param last integer
---@param hints lsp.InlayHint[]
local function place(buffer, own, first, last, hints)
  vim.api.nvim_buf_clear_namespace(buffer, space, first, last)
  own.is_clear = false
  local lines = vim.api.nvim_buf_get_lines(buffer, first, last, false)
  ---@type table<integer, table<integer, [string, string?][]>>
  local by_place = vim.defaulttable()
  for _, hint in ipairs(hints) do
    local text = lines[hint.position.line - first + 1]
    if text then
      local byte = vim.str_byteindex(text, own.client.offset_encoding, hint.position.character, false)
      local line = by_place[hint.position.line]
      line[byte] = vim.list_extend(line[byte], chunks_of(hint))
    end
  end
  for line, places in pairs(by_place) do
    for byte, chunks in pairs(places) do
      vim.api.nvim_buf_set_extmark(buffer, space, line, byte, { virt_text = chunks, virt_text_pos = 'inline' })
    end
  end
end

---@param buffer integer
---@param own warplens.ViewHints
---@param first integer
---@param last integer
local function ask(buffer, own, first, last)
  add(own, first, last)
  local turn = own.turn
  own.client:request(METHOD, {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = { start = { line = first, character = 0 }, ['end'] = { line = last, character = 0 } },
  }, function(err, hints, context)
    local is_current = views[buffer] == own and own.turn == turn
    local is_same_text = context.version == vim.lsp.util.buf_versions[buffer]
    if not err and is_current and is_same_text and vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) then
      place(buffer, own, first, last, type(hints) == 'table' and hints or {})
    end
  end, buffer)
end

--- Requests the hints of lines that windows show and that were not requested yet.
---@param buffer integer
local function ask_for_views(buffer)
  local own = views[buffer]
  if not own or not vim.api.nvim_buf_is_loaded(buffer) or not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) then
    return
  end
  local count = vim.api.nvim_buf_line_count(buffer)
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    local top, bottom = vim.fn.line('w0', window) - 1, vim.fn.line('w$', window)
    if bottom > top and not is_asked(own, top, bottom) then
      ask(buffer, own, math.max(top - MARGIN, 0), math.min(bottom + MARGIN, count))
    end
  end
end

---@param buffer integer
local function forget(buffer)
  views[buffer] = nil
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

--- Requests the hints of a large buffer again. Returns false for a buffer that is not large; Neovim draws its hints.
---@param client vim.lsp.Client
---@param buffer integer
---@return boolean is_large
function M.refresh(client, buffer)
  if not vim.api.nvim_buf_is_loaded(buffer) or not large.is_large(buffer) then
    if views[buffer] then
      forget(buffer)
    end
    return false
  end
  local own = views[buffer]
  if not own or own.client ~= client then
    own = { client = client, turn = 0, asked = {}, is_waiting = false, is_clear = true }
    views[buffer] = own
    -- The buffer may have been small before; its hints are then Neovim's.
    local neovims = vim.api.nvim_get_namespaces()['nvim.lsp.inlayhint']
    if neovims then
      vim.api.nvim_buf_clear_namespace(buffer, neovims, 0, -1)
    end
  end
  own.turn, own.asked = own.turn + 1, {}
  ask_for_views(buffer)
  return true
end

vim.api.nvim_set_decoration_provider(space, {
  on_win = function(_, _, buffer, top, bottom)
    local own = views[buffer]
    if not own then
      return false
    end
    if not vim.lsp.inlay_hint.is_enabled({ bufnr = buffer }) then
      if not own.is_clear then
        own.is_clear = true
        vim.schedule(function()
          if vim.api.nvim_buf_is_valid(buffer) then
            vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
          end
        end)
      end
    elseif not own.is_waiting and not is_asked(own, top, math.min(bottom, vim.api.nvim_buf_line_count(buffer))) then
      own.is_waiting = true
      -- Requests may run handlers, which must not change what is being drawn.
      vim.defer_fn(function()
        own.is_waiting = false
        ask_for_views(buffer)
      end, PAUSE_MS)
    end
    return false
  end,
})

vim.api.nvim_create_autocmd('LspDetach', {
  group = vim.api.nvim_create_augroup('warplens.hints', {}),
  desc = 'Remove the hints of a large buffer when their server detaches',
  callback = function(event)
    local own = views[event.buf]
    if own and own.client.id == event.data.client_id then
      forget(event.buf)
    end
  end,
})

--- Returns the hints that are drawn in a large buffer.
---@param buffer integer
---@return table<integer, string> texts by line from 0
function M.get(buffer)
  local texts = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true })) do
    local text = vim.iter(mark[4].virt_text):map(function(chunk)
      return chunk[1]
    end):join('')
    texts[mark[2]] = (texts[mark[2]] or '') .. text
  end
  return texts
end

return M
