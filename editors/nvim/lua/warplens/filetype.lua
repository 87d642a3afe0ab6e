--- Tells `nvsass` and `ptx` from everything else.
---
--- `.sass` is a style sheet to most people and `.txt` is anything, so those are asked for their content; only the
--- endings that nobody else uses are taken at their word.

local dialect = require('warplens.dialect')

local M = {}

--- The filetypes that the server reads.
M.OURS = { 'nvsass', 'ptx' }
--- Those that other servers serve; of these it tells what code costs.
M.SHARED = { 'cuda', 'c', 'cpp', 'python', 'julia', 'rust', 'mojo' }
--- Those of them that are read; of the others only the code of a build tells.
M.READ = { 'cuda' }

---@param buffer integer
---@return boolean
function M.is_ours(buffer)
  return vim.list_contains(M.OURS, vim.bo[buffer].filetype)
end

--- Whether the buffer is a `warplens.toml`, which the server reads too. Its filetype and its colours are Neovim's own.
---@param buffer integer
---@return boolean
function M.is_launch_file(buffer)
  return vim.fs.basename(vim.api.nvim_buf_get_name(buffer)) == 'warplens.toml'
end

---@param buffer integer
---@return boolean
function M.is_shared(buffer)
  return vim.list_contains(M.SHARED, vim.bo[buffer].filetype)
end

---@param buffer integer?
---@return string?
local function by_content(_, buffer)
  if not buffer then
    return
  end
  if dialect.of_buffer(buffer) then
    return 'nvsass'
  end
  if dialect.is_ptx(buffer) then
    return 'ptx'
  end
end

function M.register()
  -- A pattern, not an extension: where it answers nil, Neovim goes on to what it would have said without it.
  local ask = { by_content, { priority = 10 } }
  vim.filetype.add({
    extension = { nvsass = 'nvsass', cuasm = 'nvsass', dsass = 'nvsass', ptx = 'ptx' },
    pattern = {
      ['.*%.sass'] = ask,
      ['.*%.txt'] = ask,
      ['.*%.asm'] = ask,
      ['.*%.lst'] = ask,
      -- Last of all: names that mean nothing to Neovim (`kernel.dump`, a pipe, no ending).
      ['.*'] = { by_content, { priority = -math.huge } },
    },
  })
end

return M
