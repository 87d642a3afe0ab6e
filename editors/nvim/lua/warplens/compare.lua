--- Comparison of the code of two versions of a buffer in two windows, with the figures of each kernel above the code.

local M = {}

---@class warplens.Figures
---@field instructions integer
---@field registers integer
---@field shared integer
---@field occupancy string
---@field cycles_in_words string

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Returns comment lines with a kernel's figures. They are short, because each version has half of the screen.
---@param name string
---@param of? warplens.Figures
---@return string[]
local function figures(name, of)
  if type(of) ~= 'table' then
    return { ('// %s: not in this version'):format(name) }
  end
  return {
    '// ' .. name,
    ('//   %d instructions, %d registers, %d B shared'):format(of.instructions, of.registers, of.shared),
    ('//   %s, occupancy %s'):format(of.cycles_in_words, of.occupancy),
  }
end

---@param method string
---@param done fun(answer: table)
local function ask(method, done)
  local buffer = vim.api.nvim_get_current_buf()
  local client = require('warplens.clients').all(buffer)[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  local asked = { textDocument = vim.lsp.util.make_text_document_params(buffer) }
  client:request(method, asked, function(err, answer)
    if err then
      say(err.message, vim.log.levels.ERROR)
    elseif type(answer.reason) == 'string' then
      say(answer.reason, vim.log.levels.WARN)
    else
      done(answer)
    end
  end, buffer)
end

--- Pins the code of the current buffer's text for a later comparison.
function M.pin()
  ask('warplens/pinCode', function()
    say('the code of this version is pinned')
  end)
end

--- Opens a tab with the pinned code next to the code of the current text.
function M.show()
  local name = vim.fn.expand('%:t')
  ask('warplens/compareCode', function(answer)
    vim.cmd.tabnew()
    for number, side in ipairs({ 'before', 'after' }) do
      if number == 2 then
        vim.cmd('rightbelow vnew')
      end
      local lines = vim.iter(answer.comparison.kernels):map(function(kernel)
        return figures(kernel.name, kernel[side])
      end):flatten():totable()
      vim.list_extend(lines, vim.split(vim.trim(answer.comparison[side]), '\n'))
      local buffer = vim.api.nvim_get_current_buf()
      vim.api.nvim_buf_set_lines(buffer, 0, -1, false, lines)
      vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = 'nofile', 'wipe', false
      pcall(vim.api.nvim_buf_set_name, buffer, ('warplens-code:%s (%s)'):format(name, number == 1 and 'pinned' or 'now'))
      vim.cmd.diffthis()
    end
  end)
end

return M
