--- Encodings in listings: every other line of cuobjdump's holds nothing else, so they are dimmed, or hidden.
---
--- Nothing is stored for lines that no window has drawn: a listing of 400,000 lines costs as little as a short one.

local M = {}

--- In the order in which the command goes through them.
M.STATES = { 'shown', 'dimmed', 'hidden' }

local GROUP = 'WarplensEncoding'
local FILETYPE = 'nvsass'
--- Sixty-four bits at the end of a line.
local PATTERN = '%s*/%*%s*0x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x*%s*%*/%s*$'
--- Over semantic tokens, which are 125 and a little more.
local PRIORITY = 150
--- Options of windows in which something is hidden: the least that hides, and in the line of the cursor, too, unless one types.
local CONCEAL = { conceallevel = 2, concealcursor = 'nc' }

local space = vim.api.nvim_create_namespace('warplens.encodings')

--- Nil until the command was used: the option decides.
---@type string?
local chosen

--- The options of a window before something was hidden in it, by the buffer.
---@type table<integer, table<string, any>>
local before = {}

--- Lines from 0 that were looked at for being hidden, by the buffer.
---@type table<integer, table<integer, true>>
local checked = {}

--- Buffers whose edits are followed.
---@type table<integer, true>
local followed = {}

--- The state that is in force. In a buffer whose text the server made, as `b:warplens_view` says, dimmed means hidden: there the
--- encodings are in the lines of the instructions.
---@param buffer? integer
---@return string
function M.state(buffer)
  local wanted = chosen or require('warplens.options').get().encodings
  local state = vim.list_contains(M.STATES, wanted) and wanted or 'dimmed'
  return state == 'dimmed' and buffer and vim.b[buffer].warplens_view and 'hidden' or state
end

---@param buffer integer
---@return boolean
local function is_listing(buffer)
  return vim.bo[buffer].filetype == FILETYPE
end

--- Where the encoding at the end of a line starts, with the spaces before it; nil where there is none. In the views that the server
--- makes, it has two words, and the places in the source follow it.
---@param line string
---@return integer? byte from 0
local function start_of(line)
  local code = line:match('^(.-)%s*//## File ') or line
  -- Most lines of other listings end in something else, and a search from the left is dear.
  if not code:find('%*/%s*$') then
    return
  end
  local from = code:find(PATTERN)
  from = from and code:sub(1, from - 1):find(PATTERN) or from
  return from and from - 1
end

---@param buffer integer
---@param row integer
---@return string
local function line_at(buffer, row)
  return vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
end

--- Hides a line that holds nothing but an encoding.
---@param buffer integer
---@param row integer
local function hide_line(buffer, row)
  local own = checked[buffer]
  if not own or own[row] then
    return
  end
  own[row] = true
  if start_of(line_at(buffer, row)) == 0 then
    vim.api.nvim_buf_set_extmark(buffer, space, row, 0, { conceal_lines = '' })
  end
end

--- The columns that hints take in a line, before a byte of it.
---@param buffer integer
---@param row integer
---@param byte integer
---@return integer
local function columns_of_hints(buffer, row, byte)
  local columns = 0
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buffer, -1, { row, 0 }, { row, byte }, { details = true })) do
    local details = mark[4]
    if details and details.virt_text_pos == 'inline' then
      for _, chunk in ipairs(details.virt_text) do
        columns = columns + vim.fn.strdisplaywidth(chunk[1])
      end
    end
  end
  return columns
end

--- Draws an encoding that is alone in its line below the one above it, which hints have pushed to the right.
---@param buffer integer
---@param row integer
---@param line string
local function draw_below(buffer, row, line)
  local above = row > 0 and start_of(line_at(buffer, row - 1))
  local columns = above and above > 0 and columns_of_hints(buffer, row - 1, above) or 0
  if columns > 0 then
    vim.api.nvim_buf_set_extmark(buffer, space, row, 0, {
      virt_text = { { (' '):rep(columns) .. line, M.state(buffer) == 'shown' and 'Comment' or GROUP } },
      virt_text_pos = 'overlay',
      priority = PRIORITY,
      ephemeral = true,
    })
  end
end

local is_drawn = false

--- Draws from now on. Until a listing is there, nothing of this runs.
local function draw()
  if is_drawn then
    return
  end
  is_drawn = true
  local provider = {
    on_win = function(_, _, buffer)
      return is_listing(buffer)
    end,
    on_line = function(_, _, buffer, row)
      local line = line_at(buffer, row)
      local from = start_of(line)
      if not from then
        return
      end
      local state = M.state(buffer)
      if from == 0 and state ~= 'hidden' then
        draw_below(buffer, row, line)
      end
      if state == 'shown' then
        return
      end
      local is_hidden = state == 'hidden' and from > 0
      vim.api.nvim_buf_set_extmark(buffer, space, row, from, {
        end_col = #line,
        hl_group = GROUP,
        conceal = is_hidden and '' or nil,
        priority = PRIORITY,
        ephemeral = true,
      })
    end,
    -- Neovim asks for it where it counts the rows that lines take, drawn or not. Its own highlighter of Markdown rests on it.
    _on_conceal_line = function(_, _, buffer, row)
      hide_line(buffer, row)
    end,
  }
  if not pcall(vim.api.nvim_set_decoration_provider, space, provider) then
    provider._on_conceal_line = nil
    vim.api.nvim_set_decoration_provider(space, provider)
  end
end

--- Fits a window's options to the state.
---@param window integer
local function fit(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  if M.state(buffer) == 'hidden' then
    local own = {}
    for name, value in pairs(CONCEAL) do
      own[name] = vim.wo[window][name]
      vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
    end
    -- A second window may have these options from the first one.
    before[buffer] = before[buffer] or own
  elseif before[buffer] then
    for name, value in pairs(before[buffer]) do
      vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
    end
  end
end

--- Forgets which lines are hidden; they are looked at again when they are drawn.
---@param buffer integer
local function reset(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  checked[buffer] = M.state(buffer) == 'hidden' and {} or nil
end

--- Hides in a buffer, or shows again.
---@param buffer integer
local function apply(buffer)
  reset(buffer)
  vim.iter(vim.fn.win_findbuf(buffer)):each(fit)
  if M.state(buffer) ~= 'hidden' then
    before[buffer] = nil
  elseif not followed[buffer] then
    followed[buffer] = true
    vim.api.nvim_buf_attach(buffer, false, {
      on_lines = function()
        if checked[buffer] then
          reset(buffer)
        end
      end,
      on_reload = function()
        if checked[buffer] then
          reset(buffer)
        end
      end,
      on_detach = function()
        checked[buffer], before[buffer], followed[buffer] = nil, nil, nil
      end,
    })
  end
  vim.api.nvim__redraw({ buf = buffer, valid = false })
end

--- Puts a state in force in all listings; without one that after the one of now.
---@param state? string
function M.set(state)
  if not state then
    for index, name in ipairs(M.STATES) do
      if name == M.state() then
        state = M.STATES[index % #M.STATES + 1]
        break
      end
    end
  end
  if not vim.list_contains(M.STATES, state) then
    local text = 'warplens: encodings are %s, not "%s"'
    return vim.notify(text:format(table.concat(M.STATES, ', '):gsub(', (%a+)$', ' or %1'), state), vim.log.levels.WARN)
  end
  chosen = state
  draw()
  for _, buffer in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(buffer) and is_listing(buffer) then
      apply(buffer)
    end
  end
  vim.api.nvim_echo({ { 'encodings: ' .. state } }, false, {})
end

--- The states that begin as the word so far.
---@param begun string
---@return string[]
function M.complete(begun)
  return vim.tbl_filter(function(state)
    return vim.startswith(state, begun)
  end, M.STATES)
end

--- The line of the cursor in each window, from 1: where it was before it moved.
---@type table<integer, integer>
local last_lines = {}

--- Takes the cursor off a line that is hidden, on in the direction in which it came: Neovim leaves it there.
---@param buffer integer
local function step_over(buffer)
  local window = vim.api.nvim_get_current_win()
  local line = vim.api.nvim_win_get_cursor(window)[1]
  local count = vim.api.nvim_buf_line_count(buffer)
  local function is_hidden(at)
    return start_of(line_at(buffer, at - 1)) == 0
  end
  local step = line < (last_lines[window] or line) and -1 or 1
  local to = line
  while 1 <= to and to <= count and is_hidden(to) do
    to = to + step
  end
  if to < 1 or to > count then
    to = line
    while 1 <= to and to <= count and is_hidden(to) do
      to = to - step
    end
  end
  last_lines[window] = to
  if to ~= line and 1 <= to and to <= count then
    -- As a motion, so that the column that is aimed at stays.
    vim.cmd(('keepjumps normal! %d%s'):format(math.abs(to - line), to > line and 'j' or 'k'))
  end
end

--- Follows a listing into the windows that show it.
---@param buffer integer
function M.attach(buffer)
  draw()
  local group = vim.api.nvim_create_augroup('warplens.encodings.' .. buffer, {})
  vim.api.nvim_create_autocmd('CursorMoved', {
    group = group,
    buffer = buffer,
    desc = 'Move the cursor past hidden lines',
    callback = function()
      if checked[buffer] then
        step_over(buffer)
      end
    end,
  })
  vim.api.nvim_create_autocmd('BufWinEnter', {
    group = group,
    buffer = buffer,
    desc = 'Hide the encodings of a listing if that is set',
    callback = function()
      if is_listing(buffer) and checked[buffer] then
        fit(vim.api.nvim_get_current_win())
      end
    end,
  })
  if M.state(buffer) == 'hidden' then
    apply(buffer)
  end
end

vim.api.nvim_set_hl(0, GROUP, { link = 'NonText', default = true })

return M
