--- `:WarplensKernel`: the details of the line above a kernel, its occupancy by each resource, and other GPUs.

local clients = require('warplens.clients')
local curves = require('warplens.curves')

local M = {}

local LENSES = 'textDocument/codeLens'
local RESOLVE = 'codeLens/resolve'
local CURVES = 'warplens/occupancyCurves'
local GPUS = 'warplens/compareGpus'
local FOCUS = 'warplens.kernel'
local MOST_COLUMNS = 120

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Sends a request and calls `done` with the answer; with nil if it is null or the request fails.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param buffer integer
---@param done fun(answer: any)
local function ask(client, method, params, buffer, done)
  local is_sent = client:request(method, params, function(err, answer)
    done(not err and answer ~= vim.NIL and answer or nil)
  end, buffer)
  if not is_sent then
    done(nil)
  end
end

--- Resolves the lenses without a command, one after another, and calls `done` with all lenses. A lens whose request fails
--- stays unresolved.
---@param client vim.lsp.Client
---@param buffer integer
---@param lenses lsp.CodeLens[]
---@param done fun(lenses: lsp.CodeLens[])
local function resolve(client, buffer, lenses, done)
  local said = {}
  local function go_on(index)
    local lens = lenses[index]
    if not lens then
      return done(said)
    end
    if lens.command then
      said[index] = lens
      return go_on(index + 1)
    end
    ask(client, RESOLVE, lens, buffer, function(answer)
      said[index] = answer or lens
      go_on(index + 1)
    end)
  end
  go_on(1)
end

---@param lens lsp.CodeLens
---@return boolean
local function is_of_loop(lens)
  local data = type(lens.data) == 'table' and lens.data or {}
  return data.isOfLoop == true or type(data.of) == 'table' and data.of.loop ~= nil
end

--- Returns the details of a lens as Markdown, or its title if it has none.
---@param lens lsp.CodeLens
---@return string
local function details_of(lens)
  local command = lens.command or {}
  local tooltip = command.tooltip
  local detail = type(lens.data) == 'table' and lens.data.detail
  return type(detail) == 'string' and detail or type(tooltip) == 'string' and tooltip or command.title or ''
end

--- Returns the lenses that pass, from the last line at or above `line` that has one, or from the first line below it.
---@param lenses lsp.CodeLens[]
---@param line integer from 0
---@param passes fun(lens: lsp.CodeLens): boolean
---@return lsp.CodeLens[]
local function nearest(lenses, line, passes)
  local found, at = {}, nil
  for _, lens in ipairs(lenses) do
    local own = lens.range.start.line
    if passes(lens) and (not at or own <= line) then
      if own ~= at then
        found, at = {}, own
      end
      found[#found + 1] = lens
    end
  end
  return found
end

---@class warplens.GpuRow
---@field gpu string
---@field sm string
---@field isCurrent boolean
---@field occupancy number 0 to 1
---@field occupancyLimit string
---@field cycles string
---@field microseconds? number
---@field limiter? string
---@field model string

--- Returns the lines of an aligned table. A column that is empty in every row is omitted.
---@param rows warplens.GpuRow[]
---@return string[]
local function gpu_table(rows)
  local cells = { { 'GPU', '', 'cycles', 'time', 'occupancy', 'limited by' } }
  for _, row in ipairs(rows) do
    local time = type(row.microseconds) == 'number' and ('%.4g µs'):format(row.microseconds) or ''
    cells[#cells + 1] = {
      row.gpu .. (row.isCurrent and ' (shown)' or ''),
      row.sm,
      (row.cycles:gsub(' cycles', '', 1)),
      time,
      ('%.0f %% (%s)'):format(100 * row.occupancy, row.occupancyLimit),
      type(row.limiter) == 'string' and row.limiter or '',
    }
  end
  local lines = {}
  for column = 1, #cells[1] do
    local width = 0
    for number, row in ipairs(cells) do
      -- The head does not count: a column with only a head is omitted.
      width = math.max(width, number > 1 and vim.fn.strdisplaywidth(row[column]) or 0)
    end
    for number, row in ipairs(cells) do
      local cell = width > 0 and row[column] or ''
      local room = width > 0 and math.max(width, vim.fn.strdisplaywidth(cells[1][column])) + 2 or 0
      lines[number] = (lines[number] or '') .. cell .. (' '):rep(room - vim.fn.strdisplaywidth(cell))
    end
  end
  return vim.tbl_map(function(line)
    return (line:gsub('%s+$', ''))
  end, lines)
end

--- Opens a floating window with lines of Markdown and puts the cursor into it. `q` closes it.
---@param lines string[]
local function open(lines)
  local width = 0
  for _, line in ipairs(lines) do
    width = math.max(width, vim.fn.strdisplaywidth(line))
  end
  local buffer, window = vim.lsp.util.open_floating_preview(lines, 'markdown', {
    focus_id = FOCUS,
    focusable = true,
    border = vim.o.winborder == '' and 'rounded' or nil,
    width = math.max(20, math.min(width, MOST_COLUMNS, vim.o.columns - 4)),
    title = ' q closes ',
    title_pos = 'right',
    close_events = { 'BufHidden' },
  })
  if vim.api.nvim_win_is_valid(window) then
    -- Neovim's preview is for a few lines at the cursor. This one is for reading, so it is centred and uses the free space.
    local columns = vim.api.nvim_win_get_width(window)
    local rows = math.min(vim.api.nvim_win_text_height(window, {}).all, math.max(vim.o.lines - 6, 5))
    vim.api.nvim_win_set_config(window, {
      relative = 'editor',
      row = math.max(math.floor((vim.o.lines - rows) / 2) - 2, 0),
      col = math.max(math.floor((vim.o.columns - columns) / 2) - 1, 0),
      height = rows,
    })
    vim.api.nvim_set_current_win(window)
    -- Also conceals Markdown's marks in the cursor's line.
    vim.wo[window].concealcursor = 'nvc'
    vim.keymap.set('n', 'q', function()
      pcall(vim.api.nvim_win_close, window, true)
    end, { buffer = buffer, nowait = true, desc = 'Close the window' })
  end
end

M.open = open

--- Shows the details of the kernel at a line.
---@param client vim.lsp.Client
---@param buffer integer
---@param line integer from 0
local function show(client, buffer, line)
  local document = vim.lsp.util.make_text_document_params(buffer)
  ask(client, LENSES, { textDocument = document }, buffer, function(answer)
    table.sort(answer or {}, function(a, b)
      return a.range.start.line < b.range.start.line
    end)
    -- Only the lenses near the line are resolved.
    local near = nearest(answer or {}, line, function()
      return true
    end)
    local kernels = nearest(answer or {}, line, function(lens)
      return not is_of_loop(lens)
    end)
    if #kernels == 0 then
      return say('there is no known kernel here')
    end
    resolve(client, buffer, near[1] ~= kernels[1] and vim.list_extend(vim.list_slice(kernels), near) or kernels, function(said)
      local at = { textDocument = document, position = { line = math.max(line, kernels[1].range.start.line), character = 0 } }
      ask(client, CURVES, at, buffer, function(occupancy)
        ask(client, GPUS, at, buffer, function(gpus)
          if vim.api.nvim_get_current_buf() ~= buffer then
            return
          end
          local lines = {}
          local function add(more)
            if #lines > 0 then
              lines[#lines + 1] = ''
            end
            vim.list_extend(lines, more)
          end
          for _, lens in ipairs(said) do
            add(vim.split(vim.trim(details_of(lens)), '\n'))
          end
          if occupancy and #occupancy.curves > 0 then
            add(curves.draw(occupancy))
          end
          if gpus and #gpus.rows > 1 then
            add({ '**On other GPUs**', '', '```text' })
            vim.list_extend(lines, gpu_table(gpus.rows))
            lines[#lines + 1] = '```'
          end
          open(lines)
        end)
      end)
    end)
  end)
end

--- Shows the details of the kernel at the cursor in a window.
function M.show()
  local buffer = vim.api.nvim_get_current_buf()
  local client = clients.all(buffer)[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  show(client, buffer, vim.api.nvim_win_get_cursor(0)[1] - 1)
end

--- Returns the line in the arguments of a lens's command; nil if they have none.
---@param command lsp.Command
---@return integer?
local function line_of(command)
  for _, argument in ipairs(command.arguments or {}) do
    local position = type(argument) == 'table' and (argument.position or argument)
    if type(position) == 'number' then
      return position
    elseif type(position) == 'table' and type(position.line) == 'number' then
      return position.line
    end
  end
end

--- Commands of lenses that the plugin itself runs, through |vim.lsp.codelens.run()|.
---@type table<string, fun(command: lsp.Command, context: table)>
M.commands = {
  ['warplens.showPanel'] = function(command, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    local buffer = context.bufnr or vim.api.nvim_get_current_buf()
    if client then
      show(client, buffer, line_of(command) or vim.api.nvim_win_get_cursor(0)[1] - 1)
    end
  end,
}

return M
