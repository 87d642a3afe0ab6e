--- Navigation from an instruction of a top-down tree to its line in a listing or a source.

local kernels = require('warplens.kernels')

local M = {}

--- The kernel of a tree, and where the tree was opened.
---@class warplens.TreeOrigin
---@field kernel string
---@field origin integer the buffer
---@field window integer the window that showed the buffer then

--- Returns the window of the current tab that shows a buffer; nil if no window does.
---@param buffer integer
---@return integer?
function M.window_of(buffer)
  return vim.iter(vim.api.nvim_tabpage_list_wins(0)):find(function(window)
    return vim.api.nvim_win_get_buf(window) == buffer
  end)
end

--- Returns the loaded listings: the one from which the tree was opened, those in windows, then the others.
---@param origin integer
---@return integer[]
local function listings(origin)
  local buffers = { origin }
  vim.list_extend(buffers, vim.tbl_map(vim.api.nvim_win_get_buf, vim.api.nvim_tabpage_list_wins(0)))
  vim.list_extend(buffers, vim.api.nvim_list_bufs())
  local seen = {}
  return vim.tbl_filter(function(buffer)
    local is_new = not seen[buffer]
    seen[buffer] = true
    return is_new and vim.api.nvim_buf_is_loaded(buffer) and vim.bo[buffer].filetype == 'nvsass'
  end, buffers)
end

--- Goes to a line of a buffer, in the buffer's window, otherwise in the window of the code, otherwise in a new one.
---@param tree warplens.TreeOrigin
---@param buffer integer
---@param line integer from 0
local function go(tree, buffer, line)
  local window = M.window_of(buffer)
  if not window then
    local is_there = vim.api.nvim_win_is_valid(tree.window)
      and vim.api.nvim_win_get_buf(tree.window) ~= vim.api.nvim_get_current_buf()
    window = is_there and tree.window
      or vim.api.nvim_open_win(buffer, true, { win = 0, split = 'above' })
  end
  vim.api.nvim_set_current_win(window)
  vim.cmd("normal! m'")
  if vim.api.nvim_win_get_buf(window) ~= buffer then
    vim.api.nvim_win_set_buf(window, buffer)
  end
  local last = vim.api.nvim_buf_line_count(buffer)
  vim.api.nvim_win_set_cursor(window, { math.min(line + 1, last), 0 })
  vim.cmd('normal! ^zv')
end

--- Returns a loaded buffer with a file's name, in any folder, because the profile may come from another machine. Nil if there
--- is no such buffer.
---@param tree warplens.TreeOrigin
---@param file string
---@return integer?
local function source_named(tree, file)
  local name = file:match('[^/\\]+$')
  local function is_of(buffer)
    return vim.fs.basename(vim.api.nvim_buf_get_name(buffer)) == name
  end
  if vim.api.nvim_buf_is_valid(tree.origin) and is_of(tree.origin) then
    return tree.origin
  end
  return vim.iter(vim.api.nvim_list_bufs()):filter(vim.api.nvim_buf_is_loaded):find(is_of)
end

--- Goes to the source line of an instruction. Returns false if it is unknown or its file cannot be read.
---@param tree warplens.TreeOrigin
---@param place warplens.Place
---@return boolean
local function go_to_source(tree, place)
  if not place.file or not place.line then
    return false
  end
  local buffer = source_named(tree, place.file)
  if not buffer and vim.fn.filereadable(place.file) == 1 then
    buffer = vim.fn.bufadd(place.file)
    vim.fn.bufload(buffer)
    vim.bo[buffer].buflisted = true
  end
  if buffer then
    go(tree, buffer, place.line - 1)
  end
  return buffer ~= nil
end

--- Goes to an instruction in the first of these listings that has it; calls `otherwise` if no listing does.
---@param tree warplens.TreeOrigin
---@param place warplens.Place
---@param buffers integer[]
---@param otherwise fun()
local function go_to_listing(tree, place, buffers, otherwise)
  local buffer = table.remove(buffers, 1)
  if not buffer then
    return otherwise()
  end
  kernels.of(buffer, function(symbols)
    local symbol = kernels.named(symbols, tree.kernel)
    local listed = symbol and kernels.instructions(buffer, symbol)[place.address]
    if listed then
      go(tree, buffer, listed.line)
    else
      go_to_listing(tree, place, buffers, otherwise)
    end
  end)
end

--- Goes to an instruction: in the source if the tree was opened from one, otherwise in a listing. If that fails, tries the
--- other; if both fail, notifies the user.
---@param tree warplens.TreeOrigin
---@param place warplens.Place
function M.go(tree, place)
  local is_source = vim.api.nvim_buf_is_valid(tree.origin) and vim.bo[tree.origin].filetype ~= 'nvsass'
  if is_source and go_to_source(tree, place) then
    return
  end
  go_to_listing(tree, place, listings(tree.origin), function()
    if not go_to_source(tree, place) then
      local text = 'warplens: no open listing has the instruction at 0x%04x'
      vim.notify(text:format(place.address), vim.log.levels.WARN)
    end
  end)
end

return M
