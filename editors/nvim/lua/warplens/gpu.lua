--- `:WarplensGpu`: shows or sets the GPU that the figures are for, one of those that the server knows.

local clients = require('warplens.clients')
local settings = require('warplens.settings')

local M = {}

local METHOD = 'warplens/gpus'
--- Timeout of the request, in milliseconds. The server only looks into a table.
local PATIENCE = 1000
--- Argument for the usual GPU of each file's architecture.
local AUTO = 'auto'

---@class warplens.KnownGpu
---@field name string value of the setting
---@field title string

---@class warplens.KnownGpus
---@field gpus warplens.KnownGpu[]
---@field isKnown? boolean

--- Returns the GPUs that the server knows, and whether `named` is a GPU. Nil if no server runs or the server is too old.
---@param named? string
---@return warplens.KnownGpus?
local function ask(named)
  local client = clients.all()[1]
  local answer = client and client:request_sync(METHOD, named and { named = named } or vim.empty_dict(), PATIENCE)
  return answer and not answer.err and answer.result or nil
end

---@param known warplens.KnownGpus
---@return string[]
local function names(known)
  return vim.tbl_map(function(gpu)
    return gpu.name
  end, known.gpus)
end

--- Sets the GPU. If the server does not know it, reports an error and keeps the previous one.
---@param name string
function M.choose(name)
  if name == AUTO then
    return settings.change({ gpu = '' })
  end
  local known = ask(name)
  if known and known.isKnown == false then
    local text = 'warplens: unknown GPU "%s"; known: %s'
    return vim.notify(text:format(name, table.concat(names(known), ', ')), vim.log.levels.ERROR)
  end
  settings.change({ gpu = name })
end

function M.show()
  local name = settings.gpu()
  if name == '' then
    return print("the usual GPU of each file's architecture")
  end
  local known = vim.iter((ask() or { gpus = {} }).gpus):find(function(gpu)
    return gpu.name == name
  end)
  print(known and ('%s: %s'):format(name, known.title) or name)
end

--- Returns the names that start with the typed word, for completion on the command line.
---@param begun string
---@return string[]
function M.complete(begun)
  local known = ask()
  local all = known and names(known) or {}
  table.insert(all, 1, AUTO)
  return vim.tbl_filter(function(name)
    return vim.startswith(name, begun:lower())
  end, all)
end

return M
