--- `:WarplensTune`: a window with the variants of a kernel that `warplens.toml` tunes. The server compiles them and predicts
--- their times.

local clients = require('warplens.clients')

local M = {}

local LENSES = 'textDocument/codeLens'
local METHOD = 'warplens/tune'

---@class warplens.Tuned
---@field uri string
---@field kernel string
---@field shape string as in the lens: `M=2560 N=16 K=2560`

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

---@param client vim.lsp.Client
---@param asked warplens.Tuned
local function tune(client, asked)
  client:request(METHOD, asked, function(err, answer)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    if type(answer.reason) == 'string' then
      return say(('%s was not tuned: %s'):format(asked.kernel, answer.reason), vim.log.levels.WARN)
    end
    local lines = { '```text' }
    vim.list_extend(lines, vim.split(vim.trim(answer.table), '\n'))
    lines[#lines + 1] = '```'
    require('warplens.kernel').open(lines)
  end)
end

--- Returns the tuning tasks of the lenses at the last line at or above `line` that has any, or at the first line below it.
---@param lenses lsp.CodeLens[]
---@param line integer from 0
---@return warplens.Tuned[]
local function nearest(lenses, line)
  local found, at = {}, nil
  for _, lens in ipairs(lenses) do
    local own = lens.range.start.line
    local asked = type(lens.data) == 'table' and lens.data.tune
    if type(asked) == 'table' and (not at or own <= line) then
      if own ~= at then
        found, at = {}, own
      end
      found[#found + 1] = asked
    end
  end
  return found
end

--- Tunes the kernel at or above the cursor. If it has several shapes, the user chooses one.
function M.run()
  local buffer = vim.api.nvim_get_current_buf()
  local client = clients.all(buffer)[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  local line = vim.api.nvim_win_get_cursor(0)[1] - 1
  local document = vim.lsp.util.make_text_document_params(buffer)
  client:request(LENSES, { textDocument = document }, function(err, lenses)
    local found = nearest(not err and type(lenses) == 'table' and lenses or {}, line)
    if #found == 0 then
      return say('warplens.toml has no [tune] for a kernel in this file')
    end
    if #found == 1 then
      return tune(client, found[1])
    end
    local options = {
      prompt = ('Tune %s for'):format(found[1].kernel),
      format_item = function(asked)
        return asked.shape
      end,
    }
    vim.ui.select(found, options, function(asked)
      if asked then
        tune(client, asked)
      end
    end)
  end, buffer)
end

--- Commands of lenses that the plugin itself runs, through |vim.lsp.codelens.run()|.
---@type table<string, fun(command: lsp.Command, context: table)>
M.commands = {
  ['warplens.tune'] = function(command, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if client then
      tune(client, command.arguments[1])
    end
  end,
}

return M
