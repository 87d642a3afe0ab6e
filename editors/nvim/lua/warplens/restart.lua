--- A server that dies is started again by itself; one that keeps dying stays down until it is asked for.

local clients = require('warplens.clients')
local filetype = require('warplens.filetype')

local M = {}

--- So many deaths within so long are a crash loop.
local MOST_DEATHS = 5
local WITHIN_MS = 3 * 60 * 1000
--- How long the first death is waited out; each further one twice as long.
local FIRST_PAUSE_MS = 250

local SIGTERM = 15

--- What a server was started with, and the buffers that it has or had.
---@class warplens.Served
---@field config vim.lsp.ClientConfig
---@field client vim.lsp.Client?
---@field buffers table<integer, true>

--- Those that run and those that have died, by the number of the client.
---@type table<integer, warplens.Served>
local served = {}
--- When servers died without being asked to, in milliseconds of the clock.
---@type integer[]
local deaths = {}

---@param client vim.lsp.Client
---@param buffer integer
function M.remember(client, buffer)
  local entry = served[client.id] or { config = client.config, buffers = {} }
  entry.client = client
  entry.buffers[buffer] = true
  served[client.id] = entry
end

--- Starts what an entry says, for those of its buffers that are still of its languages.
---@param id integer the client before
local function start(id)
  local entry = served[id]
  served[id] = nil
  if not entry then
    return
  end
  -- Settings may have changed since the start.
  local settings = entry.client and entry.client.settings or entry.config.settings
  local config = vim.tbl_extend('force', entry.config, { settings = settings })
  for buffer in pairs(entry.buffers) do
    if vim.api.nvim_buf_is_loaded(buffer) and vim.list_contains(config.filetypes or filetype.OURS, vim.bo[buffer].filetype) then
      local now = vim.lsp.start(config, { bufnr = buffer })
      if now then
        -- Before it attaches: a server may die on its first message.
        served[now] = served[now] or { config = config, buffers = {} }
        served[now].buffers[buffer] = true
      end
    end
  end
end

---@param level integer
---@param text string
local function say(level, text)
  -- Neovim has said a line of its own; without a redraw between them the two ask for a key.
  vim.cmd.redraw()
  vim.notify('warplens: ' .. text, level)
end

---@param id integer
---@param how string
local function died(id, how)
  local now = vim.uv.now()
  deaths = vim.tbl_filter(function(death)
    return now - death < WITHIN_MS
  end, deaths)
  deaths[#deaths + 1] = now
  if #deaths >= MOST_DEATHS then
    local text = 'the server ended %d times in %d minutes; :WarplensRestart starts it'
    say(vim.log.levels.ERROR, text:format(MOST_DEATHS, WITHIN_MS / 60000))
    return
  end
  vim.defer_fn(function()
    if served[id] then
      start(id)
      say(vim.log.levels.WARN, ('the server ended (%s) and was started again'):format(how))
    end
  end, FIRST_PAUSE_MS * 2 ^ (#deaths - 1))
end

--- `on_exit` of the client.
---@param code integer
---@param signal integer
---@param id integer
function M.exited(code, signal, id)
  -- Neovim ends a server that does not stop by itself with SIGTERM.
  local was_asked_to = signal == SIGTERM or (code == 0 and signal == 0)
  vim.schedule(function()
    if not was_asked_to and served[id] and vim.v.exiting == vim.NIL then
      died(id, signal ~= 0 and 'signal ' .. signal or 'exit code ' .. code)
    end
  end)
end

--- Stops the servers that run and starts all there were.
function M.restart()
  deaths = {}
  if next(served) == nil then
    -- None has ever run: have Neovim look again at what is open.
    vim.lsp.enable(vim.tbl_filter(function(name)
      return name == 'warplens' or vim.lsp.is_enabled ~= nil and vim.lsp.is_enabled(name)
    end, clients.NAMES))
    return
  end
  local running = clients.all()
  for _, client in ipairs(running) do
    client:stop()
  end
  local function all_stopped()
    return vim.iter(running):all(function(client)
      return client:is_stopped()
    end)
  end
  if not vim.wait(1000, all_stopped, 20) then
    for _, client in ipairs(running) do
      client:stop(true)
    end
  end
  for _, id in ipairs(vim.tbl_keys(served)) do
    start(id)
  end
end

return M
