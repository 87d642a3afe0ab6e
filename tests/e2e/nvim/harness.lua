--- Test cases in one Neovim. Each prints `ok NAME` or `not ok NAME`; the last line has the numbers of both.

local M = {}

local passed, failed = 0, 0

--- Time limit for each answer of the server, in milliseconds. It is generous because the machine may be busy.
M.PATIENCE = 20000

-- Keeps Neovim's reports of changed lines out of the output.
vim.o.report = 100000

local function say(text)
  io.stdout:write(text, '\n')
end

--- Runs `body` as a case. An error in it fails this case only.
---@param name string
---@param body fun()
function M.case(name, body)
  local ok, why = xpcall(body, debug.traceback)
  if ok then
    passed = passed + 1
    say('ok ' .. name)
  else
    failed = failed + 1
    say('not ok ' .. name)
    say((tostring(why):gsub('[^\n]+', '  | %0')))
  end
end

--- Prints a line for a case that is not run, with the reason.
---@param name string
---@param why string
function M.left_out(name, why)
  say(('left out %s: %s'):format(name, why))
end

--- Waits until `answer` returns a truthy value, and returns that value. Fails after `PATIENCE`.
---@generic T
---@param what string
---@param answer fun(): T
---@return T
function M.wait(what, answer)
  local value
  local came = vim.wait(M.PATIENCE, function()
    value = answer()
    return value
  end, 20)
  assert(came, ('timed out after %d s waiting for %s'):format(M.PATIENCE / 1000, what))
  return value
end

---@param expected any
---@param actual any
---@param what string
function M.equal(expected, actual, what)
  if not vim.deep_equal(expected, actual) then
    error(('%s: expected %s, got %s'):format(what, vim.inspect(expected), vim.inspect(actual)), 2)
  end
end

--- The path of a file of the repository.
---@param relative string
---@return string
function M.path(relative)
  return vim.env.WARPLENS_ROOT .. '/' .. relative
end

--- Opens a file of the repository as it is on disk, and discards the changes of earlier cases.
---@param relative string
---@return integer buffer
function M.edit(relative)
  vim.cmd.edit({ vim.fn.fnameescape(M.path(relative)), bang = true })
  return vim.api.nvim_get_current_buf()
end

--- The tooltip of a hint. A hint without one is resolved first.
---@param client vim.lsp.Client
---@param buffer integer
---@param hint lsp.InlayHint
---@return string
function M.tooltip(client, buffer, hint)
  local tooltip = hint.tooltip
  if tooltip == nil then
    local answer = assert(client:request_sync('inlayHint/resolve', hint, M.PATIENCE, buffer))
    tooltip = assert(answer.result, vim.inspect(answer.err)).tooltip or ''
  end
  return type(tooltip) == 'table' and tooltip.value or tooltip
end

--- Opens a file and waits for an initialised client.
---@param relative string
---@return integer buffer, vim.lsp.Client client
function M.open(relative)
  local buffer = M.edit(relative)
  local client = M.wait('a client of ' .. relative, function()
    local found = vim.lsp.get_clients({ bufnr = buffer, name = 'warplens' })[1]
    return found and found.initialized and found
  end)
  return buffer, client
end

--- Sends a request about a buffer, and returns the result. Fails on an error.
---@param client vim.lsp.Client
---@param buffer integer
---@param method string
---@param more? table
function M.ask(client, buffer, method, more)
  local params = vim.tbl_extend('error', { textDocument = vim.lsp.util.make_text_document_params(buffer) }, more or {})
  local reply, why = client:request_sync(method, params, M.PATIENCE, buffer)
  assert(reply, ('%s: %s'):format(method, why))
  assert(not reply.err, ('%s: %s'):format(method, vim.inspect(reply.err)))
  return reply.result
end

--- The whole buffer as a range.
---@param buffer integer
function M.everything(buffer)
  return { start = { line = 0, character = 0 }, ['end'] = { line = vim.api.nvim_buf_line_count(buffer), character = 0 } }
end

--- The lines with an instruction, counted from 0: an address in a comment, then a mnemonic, possibly after a brace or a
--- guard.
---@param buffer integer
---@return integer[]
function M.instructions(buffer)
  local found = {}
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, -1, false)) do
    if line:find('^%s*/%*%x%x%x%x+%*/%s+{?%s*@?!?[A-Z]') then
      found[#found + 1] = index - 1
    end
  end
  assert(#found > 0, 'a listing without instructions')
  return found
end

--- The line and byte of the first occurrence of `text` in or after the line `from`, both counted from 0.
---@param buffer integer
---@param text string
---@param from? integer
---@return integer line, integer byte
function M.find(buffer, text, from)
  for index, line in ipairs(vim.api.nvim_buf_get_lines(buffer, from or 0, -1, false)) do
    local byte = line:find(text, 1, true)
    if byte then
      return (from or 0) + index - 1, byte - 1
    end
  end
  error('no "' .. text .. '" in the buffer')
end

--- Moves the cursor to `part` in the first line that contains `whole`. Returns its line and byte, counted from 0.
---@param buffer integer
---@param whole string
---@param part string
---@return integer line, integer byte
function M.go(buffer, whole, part)
  local line = M.find(buffer, whole)
  local text = vim.api.nvim_buf_get_lines(buffer, line, line + 1, true)[1]
  local byte = text:find(part, 1, true) - 1
  vim.api.nvim_win_set_cursor(0, { line + 1, byte })
  return line, byte
end

--- The line and byte of the cursor, counted from 0.
---@return integer[]
function M.place()
  local at = vim.api.nvim_win_get_cursor(0)
  return { at[1] - 1, at[2] }
end

--- The rows that are drawn above lines of a buffer, in order, each with the line below it, counted from 0.
---@param buffer integer
---@return { line: integer, text: string }[]
function M.rows_above(buffer)
  local space = vim.api.nvim_get_namespaces()['warplens.lenses']
  local rows = {}
  for _, mark in ipairs(space and vim.api.nvim_buf_get_extmarks(buffer, space, 0, -1, { details = true }) or {}) do
    for _, row in ipairs(mark[4].virt_lines or {}) do
      local text = vim.iter(row):map(function(chunk)
        return chunk[1]
      end):join('')
      rows[#rows + 1] = { line = mark[2], text = text }
    end
  end
  return rows
end

--- The titles of the visible lenses, one per line.
---@param buffer integer
---@return string
function M.lens_titles(buffer)
  return vim.iter(M.rows_above(buffer)):map(function(row)
    return row.text
  end):join('\n')
end

--- Starts another Neovim with the same configuration, and returns functions that type into it as a user does.
---@param setup string Lua that runs before a file is opened
---@return { lua: fun(code: string): any; type: fun(keys: string, pause?: integer); press: fun(key: string); stop: fun() }
function M.another(setup)
  local words = { vim.v.progpath, '--embed', '--headless' }
  local at = 2
  while at <= #vim.v.argv do
    local word = vim.v.argv[at]
    if word == '-S' then
      at = at + 1
    elseif word ~= '--headless' then
      words[#words + 1] = word
    end
    at = at + 1
  end
  local channel = vim.fn.jobstart(words, { rpc = true })
  assert(channel > 0, 'another Neovim did not start')
  local other = {
    lua = function(code)
      return vim.rpcrequest(channel, 'nvim_exec_lua', code, {})
    end,
    type = function(keys, pause)
      for key in keys:gmatch('.') do
        vim.rpcrequest(channel, 'nvim_input', key == '<' and '<lt>' or key)
        vim.wait(pause or 60)
      end
    end,
    press = function(key)
      vim.rpcrequest(channel, 'nvim_input', key)
    end,
    stop = function()
      vim.fn.jobstop(channel)
    end,
  }
  other.lua(setup)
  return other
end

--- Quits this Neovim. The exit status is 0 if there were cases and all of them passed.
function M.finish()
  say(('end: %d passed, %d failed'):format(passed, failed))
  for _, client in ipairs(vim.lsp.get_clients()) do
    client:stop(true)
  end
  if failed > 0 or passed == 0 then
    vim.cmd('cquit 1')
  end
  vim.cmd('qall!')
end

return M
