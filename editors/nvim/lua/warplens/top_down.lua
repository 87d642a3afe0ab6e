--- Top-down trees of profiled launches, each in a foldable buffer: why warps stalled, where, and what reduces the stalls.

local clients = require('warplens.clients')
local heat = require('warplens.heat')
local kernels = require('warplens.kernels')
local tree_lines = require('warplens.tree_lines')
local tree_places = require('warplens.tree_places')

local M = {}

local METHOD = 'warplens/topDown'
local LAUNCHES = 'warplens/profiledLaunches'
local SCHEME = 'warplens-top-down:/'
local FILETYPE = 'warplens_top_down'

local space = vim.api.nvim_create_namespace('warplens.top_down')

---@class warplens.TopDown : warplens.TreeOrigin
---@field lines warplens.TreeLine[]
---@field asked integer number of the last request: answers to other requests are dropped

--- The trees, by their buffers.
---@type table<integer, warplens.TopDown>
local trees = {}

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

---@param buffer integer
---@return vim.lsp.Client?
local function client_of(buffer)
  return clients.all(buffer)[1] or clients.all()[1]
end

--- Returns the keys of the nodes that are folded in a window.
---@param window integer
---@param lines warplens.TreeLine[]
---@return table<string, true>
local function folded_in(window, lines)
  local folded = {}
  vim.api.nvim_win_call(window, function()
    for number, line in ipairs(lines) do
      if line.key and vim.fn.foldclosed(number) == number then
        folded[line.key] = true
      end
    end
  end)
  return folded
end

--- Replaces the lines of a tree's buffer. Its windows keep their views and their closed folds.
---@param buffer integer
---@param lines warplens.TreeLine[]
local function set_lines(buffer, lines)
  local tree = trees[buffer]
  local windows = {}
  for _, window in ipairs(vim.fn.win_findbuf(buffer)) do
    windows[window] = {
      view = vim.api.nvim_win_call(window, vim.fn.winsaveview),
      folded = folded_in(window, tree.lines),
    }
  end
  tree.lines = lines
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.tbl_map(function(line)
    return line.text
  end, lines))
  vim.bo[buffer].modifiable = false
  vim.bo[buffer].modified = false
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  for number, line in ipairs(lines) do
    for _, part in ipairs(line.parts) do
      local group = part.share and heat.group_of(part.share) or part.group
      if group then
        local options = { end_col = part.last, hl_group = group }
        vim.api.nvim_buf_set_extmark(buffer, space, number - 1, part.first, options)
      end
    end
  end
  for window, own in pairs(windows) do
    vim.api.nvim_win_call(window, function()
      -- Folds are those of the previous text until they are updated.
      vim.cmd('silent! normal! zx')
      -- From the last line up, so that inner folds are closed before outer ones.
      for number = #lines, 1, -1 do
        if lines[number].key and own.folded[lines[number].key] then
          vim.cmd(('silent! %dfoldclose'):format(number))
        end
      end
      vim.fn.winrestview(own.view)
    end)
  end
end

--- Adds the text of instructions that a report names only by their addresses, if `origin` is a listing. Then calls `done`.
---@param origin integer
---@param answer warplens.TopDownAnswer
---@param done fun()
local function add_texts(origin, answer, done)
  local bare_ones = {}
  local function look(node)
    vim.list_extend(bare_ones, vim.tbl_filter(function(place)
      return place.text == nil or place.text == vim.NIL
    end, node.places))
    vim.iter(node.children):each(look)
  end
  look(answer.tree.root)
  if #bare_ones == 0 or not vim.api.nvim_buf_is_loaded(origin) or vim.bo[origin].filetype ~= 'nvsass' then
    return done()
  end
  kernels.of(origin, function(symbols)
    local symbol = kernels.named(symbols, answer.kernel)
    local listed = symbol and kernels.instructions(origin, symbol) or {}
    for _, place in ipairs(bare_ones) do
      place.text = listed[place.address] and listed[place.address].text
    end
    done()
  end)
end

--- Returns the profile of a tree's launch and, if the kernel has several launches, the launch's number; nil if the launch is
--- unknown.
---@param launches warplens.ProfiledLaunch[]
---@param title string of the launch
---@return string?
local function number_of(launches, title)
  local shown = vim.iter(launches):find(function(launch)
    return launch.isChosen and launch.title == title
  end)
  if not shown then
    return
  end
  local count = #vim.tbl_filter(function(launch)
    return launch.kernel == shown.kernel
  end, launches)
  return count == 1 and shown.profile or ('launch %d of %d in %s'):format(shown.number + 1, count, shown.profile)
end

--- Requests the tree of a kernel and calls `done` with its lines; with nil if no profile has a tree. On an error, notifies
--- the user and does not call `done`.
---@param client vim.lsp.Client
---@param kernel string
---@param origin integer
---@param done fun(lines?: warplens.TreeLine[])
local function ask(client, kernel, origin, done)
  client:request(METHOD, { kernel = kernel }, function(err, answer)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    if not answer or answer == vim.NIL then
      return done()
    end
    client:request(LAUNCHES, vim.empty_dict(), function(_, all)
      add_texts(origin, answer, function()
        done(tree_lines.of(answer, all and number_of(all.launches, answer.title)))
      end)
    end)
  end)
end

---@param buffer integer
---@param client vim.lsp.Client
local function refresh(buffer, client)
  local tree = trees[buffer]
  tree.asked = tree.asked + 1
  local number = tree.asked
  ask(client, tree.kernel, tree.origin, function(lines)
    if trees[buffer] == tree and tree.asked == number and vim.api.nvim_buf_is_loaded(buffer) then
      set_lines(buffer, lines or tree_lines.none(tree.kernel))
    end
  end)
end

--- Updates the trees of a client.
---@param client vim.lsp.Client
function M.refresh_all(client)
  for buffer, tree in pairs(trees) do
    if client_of(tree.origin) == client then
      refresh(buffer, client)
    end
  end
end

--- Returns the level of a line's fold, for 'foldexpr'.
---@param number integer from 1
---@return string
function M.fold(number)
  local tree = trees[vim.api.nvim_get_current_buf()]
  local line = tree and tree.lines[number]
  if not line then
    return '0'
  end
  return line.key and '>' .. line.depth or tostring(math.max(0, line.depth - 1))
end

---@param window integer
local function dress(window)
  local own = vim.wo[window][0]
  own.foldmethod, own.foldexpr = 'expr', "v:lua.require'warplens.top_down'.fold(v:lnum)"
  -- A closed fold shows the line of its node. All folds are open at first.
  own.foldtext, own.foldlevel, own.foldenable = '', 99, true
  own.number, own.relativenumber, own.signcolumn, own.foldcolumn = false, false, 'no', '0'
  own.wrap, own.linebreak, own.breakindent, own.breakindentopt = true, true, true, 'shift:10'
  own.cursorline, own.spell, own.list = true, false, false
end

--- Returns the buffer of a kernel's tree; creates it if necessary.
---@param kernel string
---@return integer
local function buffer_for(kernel)
  for buffer, tree in pairs(trees) do
    if tree.kernel == kernel then
      return buffer
    end
  end
  local buffer = vim.api.nvim_create_buf(false, true)
  pcall(vim.api.nvim_buf_set_name, buffer, SCHEME .. kernel:gsub('[\r\n]', ' '))
  vim.bo[buffer].bufhidden, vim.bo[buffer].filetype = 'wipe', FILETYPE
  vim.api.nvim_create_autocmd('BufWipeout', {
    buffer = buffer,
    desc = 'Forget a tree that is closed',
    callback = function()
      trees[buffer] = nil
    end,
  })
  local function key(keys, does, desc)
    vim.keymap.set('n', keys, does, { buffer = buffer, nowait = true, desc = desc })
  end
  key('<CR>', M.jump, 'Go to the instruction, or fold and unfold')
  key('q', function()
    -- The last window cannot be closed, so its buffer is wiped out.
    if not pcall(vim.cmd.close) then
      vim.cmd.bwipeout()
    end
  end, 'Close the tree')
  return buffer
end

---@param kernel string
---@param origin integer
---@param lines warplens.TreeLine[]
local function present(kernel, origin, lines)
  local buffer = buffer_for(kernel)
  local window = tree_places.window_of(buffer)
  local code = tree_places.window_of(origin) or vim.api.nvim_get_current_win()
  trees[buffer] = trees[buffer] or { kernel = kernel, lines = {}, asked = 0 }
  local tree = trees[buffer]
  tree.origin, tree.window, tree.asked = origin, code, tree.asked + 1
  set_lines(buffer, lines)
  if window then
    return vim.api.nvim_set_current_win(window)
  end
  local height = math.max(8, math.min(#lines, math.floor(vim.api.nvim_win_get_height(code) / 2)))
  window = vim.api.nvim_open_win(buffer, true, { win = code, split = 'below', height = height })
  dress(window)
end

--- Shows a kernel's tree and calls `done` with whether a profile has one.
---@param client vim.lsp.Client
---@param kernel string
---@param origin integer
---@param done fun(is_shown: boolean)
local function show(client, kernel, origin, done)
  ask(client, kernel, origin, function(lines)
    if lines and vim.api.nvim_buf_is_loaded(origin) then
      present(kernel, origin, lines)
    end
    done(lines ~= nil)
  end)
end

--- Shows the tree of a kernel of the attached profiles. If there are several kernels, the user chooses one.
---@param client vim.lsp.Client
---@param origin integer
local function show_chosen(client, origin)
  client:request(LAUNCHES, vim.empty_dict(), function(err, answer)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    local names = {}
    for _, launch in ipairs(answer.launches) do
      if not vim.list_contains(names, launch.kernel) then
        names[#names + 1] = launch.kernel
      end
    end
    local function choose(kernel)
      if kernel then
        show(client, kernel, origin, function(is_shown)
          if not is_shown then
            say('the profile has no stall reasons for ' .. kernel, vim.log.levels.WARN)
          end
        end)
      end
    end
    if #names == 0 then
      say('no profile is attached: see :help :WarplensProfile', vim.log.levels.WARN)
    elseif #names == 1 then
      choose(names[1])
    else
      vim.ui.select(names, { prompt = 'Kernel' }, choose)
    end
  end)
end

--- Shows the tree of the kernel at the cursor. The user chooses among the kernels of the attached profiles if `is_chosen` is
--- true, if the current buffer is a tree, or if no profile has the kernel at the cursor.
---@param is_chosen boolean
function M.show(is_chosen)
  local buffer = vim.api.nvim_get_current_buf()
  local origin = trees[buffer] and trees[buffer].origin or buffer
  local client = client_of(origin)
  if not client then
    return say('no server is running', vim.log.levels.WARN)
  end
  if is_chosen or origin ~= buffer then
    return show_chosen(client, origin)
  end
  kernels.at_cursor(client, function(kernel)
    if not kernel then
      return show_chosen(client, origin)
    end
    show(client, kernel, origin, function(is_shown)
      if not is_shown then
        show_chosen(client, origin)
      end
    end)
  end)
end

--- Goes from an instruction of the tree to its line, and from a piece of advice to its page. On any other line, folds and
--- unfolds.
function M.jump()
  local tree = trees[vim.api.nvim_get_current_buf()]
  local line = tree and tree.lines[vim.api.nvim_win_get_cursor(0)[1]]
  if line and line.place then
    tree_places.go(tree, line.place)
  elseif line and line.guide then
    require('warplens.rule').show(line.guide)
  else
    pcall(vim.cmd, 'normal! za')
  end
end

return M
