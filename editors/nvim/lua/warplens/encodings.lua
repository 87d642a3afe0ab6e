--- Encodings in listings, which are dimmed or hidden: every second line of cuobjdump's output contains nothing else.
---
--- Nothing is stored for lines that no window has drawn, so a listing of 400,000 lines costs no more than a short one.

local M = {}

--- The states, in the order in which the command cycles through them.
M.STATES = { 'shown', 'dimmed', 'hidden' }

local GROUP = 'WarplensEncoding'
local FILETYPE = 'nvsass'
--- A comment at the end of a line that starts with a hexadecimal number of at least 64 bits.
local PATTERN = '%s*/%*%s*0x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x*%s*%*/%s*$'
--- Above the priorities of semantic tokens, which are 125 and slightly more.
local PRIORITY = 150
--- Options of windows with hidden encodings: the lowest level that hides them, in the cursor's line only outside Insert mode.
local CONCEAL = { conceallevel = 2, concealcursor = 'nc' }

local space = vim.api.nvim_create_namespace('warplens.encodings')

--- The state that the command has set. Nil until it is used; the option applies until then.
---@type string?
local chosen

--- By buffer: the values of the options in `CONCEAL` before encodings were hidden.
---@type table<integer, table<string, any>>
local before = {}

--- By buffer: the lines, from 0, that have been checked for hiding. Nil for a buffer whose encodings are not hidden.
---@type table<integer, table<integer, true>>
local checked = {}

--- Buffers whose edits are observed.
---@type table<integer, true>
local followed = {}

--- Returns the state in effect. In a buffer with text from the server (`b:warplens_view`), `dimmed` means `hidden`, because
--- the encodings are on the lines of the instructions there.
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

--- Returns the byte at which the encoding at the end of a line starts, including the spaces before it; nil if the line has no
--- encoding. In the server's views an encoding may be two words, and the source position follows it.
---@param line string
---@return integer? byte from 0
local function start_of(line)
  local code = line:match('^(.-)%s*//## File ') or line
  -- Most lines of other listings do not end in a comment, and a search from the left is expensive.
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

--- Hides a line if it contains only an encoding. Each line is checked once.
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

--- Returns the number of columns that inline hints take in a line before a byte.
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

--- Draws an encoding that is alone on its line under the encoding of the line above, which hints have moved to the right.
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

--- Registers the decoration provider, once. It does not run before the first listing is opened.
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
    -- Neovim calls this when it counts the rows that lines take, drawn or not. Its tree-sitter highlighter uses it as well.
    _on_conceal_line = function(_, _, buffer, row)
      hide_line(buffer, row)
    end,
  }
  if not pcall(vim.api.nvim_set_decoration_provider, space, provider) then
    provider._on_conceal_line = nil
    vim.api.nvim_set_decoration_provider(space, provider)
  end
end

--- Sets the options of a window to those of its buffer's state, or back to their previous values.
---@param window integer
local function fit(window)
  local buffer = vim.api.nvim_win_get_buf(window)
  if M.state(buffer) == 'hidden' then
    local own = {}
    for name, value in pairs(CONCEAL) do
      own[name] = vim.wo[window][name]
      vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
    end
    -- The first values are kept, because a second window may have copied the changed options of the first.
    before[buffer] = before[buffer] or own
  elseif before[buffer] then
    for name, value in pairs(before[buffer]) do
      vim.api.nvim_set_option_value(name, value, { scope = 'local', win = window })
    end
  end
end

--- Removes the marks of hidden lines. The lines are checked again when they are drawn.
---@param buffer integer
local function reset(buffer)
  vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  checked[buffer] = M.state(buffer) == 'hidden' and {} or nil
end

--- Applies the state to a buffer and its windows.
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

--- Sets the state of all listings. Without a state, sets the one after the current one in `STATES`.
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
    local text = 'warplens: encodings can be %s, not "%s"'
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

--- Returns the states that start with the typed word, for completion on the command line.
---@param begun string
---@return string[]
function M.complete(begun)
  return vim.tbl_filter(function(state)
    return vim.startswith(state, begun)
  end, M.STATES)
end

--- By window: the line of the cursor, from 1, before its last move.
---@type table<integer, integer>
local last_lines = {}

--- Moves the cursor off a hidden line, in the direction of its last move. Neovim leaves it there.
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
    -- A motion keeps the column that the cursor returns to.
    vim.cmd(('keepjumps normal! %d%s'):format(math.abs(to - line), to > line and 'j' or 'k'))
  end
end

--- Applies the state to a listing, in all windows that show it now or later.
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
