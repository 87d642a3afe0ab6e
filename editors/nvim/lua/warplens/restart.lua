--- Restarts a server that has crashed. A server that keeps crashing stays down until `:WarplensRestart`.

local clients = require('warplens.clients')
local filetype = require('warplens.filetype')

local M = {}

--- Number of crashes, and the time within which that number is a crash loop.
local MOST_DEATHS = 5
local WITHIN_MS = 3 * 60 * 1000
--- Pause before the first restart. It doubles with each further crash.
local FIRST_PAUSE_MS = 250

local SIGTERM = 15

--- Configuration that a server was started with, and the buffers that it is or was attached to.
---@class warplens.Served
---@field config vim.lsp.ClientConfig
---@field client vim.lsp.Client?
---@field buffers table<integer, true>

--- By client id: the servers that run and those that have crashed.
---@type table<integer, warplens.Served>
local served = {}
--- Times of recent crashes, in milliseconds of `vim.uv.now()`.
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

--- Starts a server again, for those of its buffers that still have one of its filetypes.
---@param id integer the previous client
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
        -- Recorded before the server attaches, because it may crash on its first message.
        served[now] = served[now] or { config = config, buffers = {} }
        served[now].buffers[buffer] = true
      end
    end
  end
end

---@param level integer
---@param text string
local function say(level, text)
  -- Neovim has already shown a message. Without a redraw in between, two messages cause a hit-enter prompt.
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

--- `on_exit` of the client: restarts the server if it has crashed.
---@param code integer
---@param signal integer
---@param id integer
function M.exited(code, signal, id)
  -- Neovim sends SIGTERM to a server that does not stop after a shutdown request.
  local was_asked_to = signal == SIGTERM or (code == 0 and signal == 0)
  vim.schedule(function()
    if not was_asked_to and served[id] and vim.v.exiting == vim.NIL then
      died(id, signal ~= 0 and 'signal ' .. signal or 'exit code ' .. code)
    end
  end)
end

--- Stops the running servers, and starts these and the crashed ones again.
function M.restart()
  deaths = {}
  if next(served) == nil then
    -- No server has run yet: enabling makes Neovim check the open buffers again.
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
