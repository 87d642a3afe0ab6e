--- `:WarplensCycles`: the cycles from the first to the last instruction of the selected lines.

local M = {}

local METHOD = 'warplens/selectionCycles'

---@class warplens.SelectionCycles
---@field text string
---@field detail string Markdown

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Returns a line, shortened to fit the command line: Neovim shows a hit-enter prompt if it is longer.
---@param line string
---@return string
local function that_fits(line)
  local room = vim.v.echospace
  if vim.fn.strdisplaywidth(line) <= room then
    return line
  end
  return vim.fn.strcharpart(line, 0, room - 1) .. '…'
end

--- Returns the range of whole lines, in the client's offset encoding.
---@param client vim.lsp.Client
---@param buffer integer
---@param first integer 1-based
---@param last integer 1-based
---@return lsp.Range
local function range_of(client, buffer, first, last)
  local text = vim.api.nvim_buf_get_lines(buffer, last - 1, last, true)[1]
  return {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last - 1, character = vim.str_utfindex(text, client.offset_encoding) },
  }
end

---@param answer warplens.SelectionCycles
---@param in_window boolean
local function present(answer, in_window)
  if in_window then
    local lines = vim.lsp.util.convert_input_to_markdown_lines({ kind = 'markdown', value = answer.detail })
    vim.lsp.util.open_floating_preview(lines, 'markdown', { focus_id = METHOD })
  else
    vim.api.nvim_echo({ { that_fits(answer.text) } }, true, {})
  end
end

--- Shows the cycles of lines of the current buffer: in a line of text, or with the breakdown in a window at the cursor.
---@param first integer 1-based
---@param last integer 1-based, inclusive
---@param in_window boolean
function M.show(first, last, in_window)
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  if not vim.tbl_get(client.server_capabilities or {}, 'experimental', 'selectionCycles') then
    return say('this server cannot time selections; install a newer one', vim.log.levels.WARN)
  end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = range_of(client, buffer, first, last),
  }
  client:request(METHOD, params, function(err, answer)
    if err then
      say(err.message, vim.log.levels.ERROR)
    elseif not answer then
      say('the selection must contain at least two instructions of one kernel')
    elseif vim.api.nvim_get_current_buf() == buffer then
      present(answer, in_window)
    end
  end, buffer)
end

return M
