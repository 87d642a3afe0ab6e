--- Measurement of advice that a code action has followed: the file is saved, the server runs and profiles the program
--- again, and a message shows the measured gain.

local clients = require('warplens.clients')

local M = {}

local METHOD = 'warplens/followAdvice'

---@class warplens.Followed
---@field uri string
---@field kernel string as the profile names it
---@field advice string the guide's code
---@field claimed number? claimed speedup, an upper limit

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Saves the buffer of a document if it is modified. Returns why it failed, or nil.
---@param uri string
---@return string?
local function save(uri)
  local buffer = vim.uri_to_bufnr(uri)
  if not vim.bo[buffer].modified then
    return
  end
  local is_written, why = pcall(vim.api.nvim_buf_call, buffer, function()
    vim.cmd('silent write')
  end)
  if not is_written then
    return tostring(why)
  end
end

---@param followed warplens.Followed
---@param context { client_id: integer }
local function follow(followed, context)
  local client = vim.lsp.get_client_by_id(context.client_id)
  if not client then
    return
  end
  local why = save(followed.uri)
  if why then
    return say('nothing was run, because the text could not be written: ' .. why, vim.log.levels.ERROR)
  end
  client:request(METHOD, followed, function(err, outcome)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    if outcome.message and outcome.message ~= vim.NIL then
      local has_command = outcome.command and outcome.command ~= vim.NIL
      say(outcome.message .. (has_command and '\n' .. outcome.command or ''))
    end
  end)
end

--- Commands of code actions that the plugin itself runs.
---@type table<string, fun(command: lsp.Command, context: table)>
M.commands = {
  ['warplens.followAdvice'] = function(command, context)
    follow(command.arguments[1], context)
  end,
}

return M
