--- Detection of the filetypes `nvsass` and `ptx`.
---
--- `.sass` usually means a style sheet and `.txt` can be anything, so the content of such files decides. An extension alone
--- decides only if nothing else uses it.

local dialect = require('warplens.dialect')

local M = {}

--- The filetypes of the server's own languages.
M.OURS = { 'nvsass', 'ptx' }
--- Filetypes that have other servers. For these, the server only shows costs.
M.SHARED = { 'cuda', 'c', 'cpp', 'python', 'julia', 'rust', 'mojo' }
--- The shared filetypes whose text the server reads. For the others, costs come from the output of a build.
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
  -- A pattern, not an extension: if the function returns nil, Neovim continues with its other rules.
  local ask = { by_content, { priority = 10 } }
  vim.filetype.add({
    extension = { nvsass = 'nvsass', cuasm = 'nvsass', dsass = 'nvsass', ptx = 'ptx' },
    pattern = {
      ['.*%.sass'] = ask,
      ['.*%.txt'] = ask,
      ['.*%.asm'] = ask,
      ['.*%.lst'] = ask,
      -- Lowest priority: names that no other rule knows (`kernel.dump`, a pipe, no extension).
      ['.*'] = { by_content, { priority = -math.huge } },
    },
  })
end

return M
