--- `:WarplensCopyAs`: copies instructions in another assembler's notation.

local M = {}

local METHOD = 'warplens/copyAs'

--- Names of the assemblers that the server knows.
M.assemblers = { 'cuassembler', 'kepleras', 'maxas', 'turingas' }

---@class warplens.Copied
---@field text string
---@field assembler string
---@field instructions integer

---@class warplens.CopyAnswer
---@field copied? warplens.Copied
---@field refused? string

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

--- Returns the range of whole lines, in the client's offset encoding. Without lines, returns an empty range on the
--- cursor's line, for which the server takes the whole kernel.
---@param client vim.lsp.Client
---@param buffer integer
---@param lines? [integer, integer] 1-based, inclusive
---@return lsp.Range
local function range_of(client, buffer, lines)
  local first = lines and lines[1] or vim.api.nvim_win_get_cursor(0)[1]
  local start = { line = first - 1, character = 0 }
  if not lines then
    return { start = start, ['end'] = start }
  end
  local text = vim.api.nvim_buf_get_lines(buffer, lines[2] - 1, lines[2], true)[1]
  return { start = start, ['end'] = { line = lines[2] - 1, character = vim.str_utfindex(text, client.offset_encoding) } }
end

---@param copied warplens.Copied
local function keep(copied)
  vim.fn.setreg('"', copied.text, 'V')
  if vim.fn.has('clipboard') == 1 then
    vim.fn.setreg('+', copied.text, 'V')
  end
  local s = copied.instructions == 1 and '' or 's'
  say(('copied %d instruction%s as %s'):format(copied.instructions, s, copied.assembler))
end

--- Copies instructions of the current buffer to the unnamed register and the clipboard, in an assembler's notation.
---@param assembler string
---@param lines? [integer, integer] 1-based, inclusive; without them, the kernel at the cursor is copied
function M.copy(assembler, lines)
  local buffer = vim.api.nvim_get_current_buf()
  local client = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
  if not client then
    return say('no server is attached to this buffer', vim.log.levels.WARN)
  end
  if not vim.tbl_get(client.server_capabilities or {}, 'experimental', 'copyAs') then
    return say('this server cannot copy instructions; install a newer one', vim.log.levels.WARN)
  end
  if not vim.list_contains(M.assemblers, assembler) then
    return say('unknown assembler ' .. assembler .. '; known: ' .. table.concat(M.assemblers, ', '), vim.log.levels.WARN)
  end
  local params = {
    textDocument = vim.lsp.util.make_text_document_params(buffer),
    range = range_of(client, buffer, lines),
    assembler = assembler,
  }
  ---@param answer? warplens.CopyAnswer
  client:request(METHOD, params, function(err, answer)
    local copied = answer and answer.copied
    local refused = answer and answer.refused
    if err then
      say(err.message, vim.log.levels.ERROR)
    elseif type(copied) == 'table' then
      keep(copied)
    else
      say(type(refused) == 'string' and refused or 'there is nothing to copy', vim.log.levels.WARN)
    end
  end, buffer)
end

return M
