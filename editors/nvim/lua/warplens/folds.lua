--- Folds from the server's folding ranges.
---
--- Neovim calls `vim.lsp.foldexpr()` for every line, twice when a file is opened, which takes five seconds for 400,000
--- lines. There are few ranges, so manual folds (|fold-manual|) are created from them in milliseconds, and created again
--- when the ranges change.

local kept = require('warplens.kept')

local M = {}

local METHOD = 'textDocument/foldingRange'

--- Pause in typing, in milliseconds, before the ranges are requested again.
local REST_MS = 300
--- Initial 'foldlevel', which opens all folds: a listing that shows only a closed fold looks broken.
local OPEN_LEVELS = 99

---@alias warplens.Region [integer, integer] first and last line, from 0

---@class warplens.Folds
---@field answer warplens.Kept
---@field regions warplens.Region[] of the last answer, outer ones first, shifted by later edits
---@field windows table<integer, true> windows that have these folds

--- By buffer.
---@type table<integer, warplens.Folds>
local folded = {}

--- Returns the ranges of an answer that have more than one line, outer ones first.
---@param answer lsp.FoldingRange[]
---@return warplens.Region[]
local function regions_of(answer)
  local regions = {}
  for _, range in ipairs(answer) do
    if range.startLine < range.endLine then
      regions[#regions + 1] = { range.startLine, range.endLine }
    end
  end
  table.sort(regions, function(a, b)
    if a[1] ~= b[1] then
      return a[1] < b[1]
    end
    return a[2] > b[2]
  end)
  return regions
end

--- Replaces the folds of a window. Folds that were closed are closed again.
---@param buffer integer
---@param window integer
---@param before warplens.Region[] regions of its present folds
local function fold(buffer, window, before)
  local own = folded[buffer]
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_win_call(window, function()
    local view = vim.fn.winsaveview()
    local closed = {}
    for _, region in ipairs(own.windows[window] and before or {}) do
      local line = region[1] + 1
      if vim.fn.foldclosed(line) == line then
        closed[line] = true
      end
    end
    local at = vim.wo[window][0]
    at.foldmethod = 'manual'
    at.foldlevel = OPEN_LEVELS
    vim.cmd('normal! zE')
    -- With closed folds, a range that starts inside one would start at the fold's first line.
    at.foldenable = false
    for _, region in ipairs(own.regions) do
      if region[2] < last then
        vim.cmd.fold({ range = { region[1] + 1, region[2] + 1 } })
      end
    end
    at.foldenable = true
    vim.cmd('normal! zR')
    for line in pairs(closed) do
      if line <= last and vim.fn.foldlevel(line) > 0 then
        vim.cmd.foldclose({ range = { line, line } })
      end
    end
    vim.fn.winrestview(view)
  end)
  own.windows[window] = true
end

---@param buffer integer
---@param regions warplens.Region[]
local function take(buffer, regions)
  local own = folded[buffer]
  local before = own.regions
  local are_same = vim.deep_equal(before, regions)
  own.regions = regions
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    if not are_same or not own.windows[window] then
      fold(buffer, window, before)
    end
  end
end

--- Shifts regions after an edit, as Neovim shifts their folds.
---@param regions warplens.Region[]
---@param first integer
---@param last integer
---@param new_last integer
local function move(regions, first, last, new_last)
  local by = new_last - last
  for _, region in ipairs(by ~= 0 and regions or {}) do
    if region[1] >= last then
      region[1] = region[1] + by
    end
    if region[2] >= last then
      region[2] = region[2] + by
    end
  end
end

---@param buffer integer
local function forget(buffer)
  local own = folded[buffer]
  folded[buffer] = nil
  if own then
    own.answer:stop()
  end
end

--- Folds a buffer by the server's ranges in each window that shows it, and keeps the folds up to date.
---@param client vim.lsp.Client
---@param buffer integer
function M.attach(client, buffer)
  forget(buffer)
  local own = { regions = {}, windows = {} }
  own.answer = kept.keep(client, buffer, {
    name = 'folds',
    method = METHOD,
    rest_ms = REST_MS,
    take = function(answer)
      take(buffer, regions_of(answer))
    end,
    forget = function()
      forget(buffer)
    end,
  })
  folded[buffer] = own
  vim.api.nvim_buf_attach(buffer, false, {
    on_lines = function(_, _, _, first, last, new_last)
      if folded[buffer] ~= own then
        return true
      end
      move(own.regions, first, last, new_last)
    end,
    on_reload = function()
      if folded[buffer] ~= own then
        return true
      end
      own.regions = {}
      own.answer:ask_soon()
    end,
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = own.answer.group,
    buffer = buffer,
    desc = 'Fold the buffer in another window',
    callback = function()
      own.windows[vim.api.nvim_get_current_win()] = nil
      take(buffer, own.regions)
    end,
  })
  own.answer:ask()
end

return M
