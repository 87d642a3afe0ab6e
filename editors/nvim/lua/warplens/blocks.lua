--- Blocks: corresponding lines of a source and its views have the same pale background.

local M = {}

--- Colours of the blocks, in order: an RGB colour to mix into the background, and indices into the 256-colour palette for
--- a dark and a light background.
---@type { colour: integer, dark: integer, light: integer }[]
local COLOURS = {
  { colour = 0x3b82f6, dark = 17, light = 189 },
  { colour = 0x22c55e, dark = 22, light = 194 },
  { colour = 0xeab308, dark = 58, light = 230 },
  { colour = 0xec4899, dark = 53, light = 225 },
  { colour = 0x14b8a6, dark = 23, light = 195 },
  { colour = 0xa855f7, dark = 54, light = 183 },
}
--- Share of the block's colour in the mixed background, 0 to 1.
local SHARE = 0.15
--- Below the priorities of all other marks, including the highlight of the lines that belong to the cursor's line.
local PRIORITY = 1

local space = vim.api.nvim_create_namespace('warplens.blocks')

--- Returns the colour `under` with `SHARE` of the colour `over` mixed into it.
---@param under integer
---@param over integer
---@return integer
local function mixed(under, over)
  local result = 0
  for _, shift in ipairs({ 16, 8, 0 }) do
    local low = bit.band(bit.rshift(under, shift), 0xff)
    local high = bit.band(bit.rshift(over, shift), 0xff)
    result = result + bit.lshift(math.floor(low + (high - low) * SHARE + 0.5), shift)
  end
  return result
end

--- Defines the highlight groups. The user may override `WarplensBlock1` to `WarplensBlock6`; by default, they link to
--- colours that fit the colour scheme.
local function define()
  local is_dark = vim.o.background == 'dark'
  local under = vim.api.nvim_get_hl(0, { name = 'Normal', link = false }).bg or (is_dark and 0x000000 or 0xffffff)
  for number, block in ipairs(COLOURS) do
    local own = 'WarplensBlockDefault' .. number
    vim.api.nvim_set_hl(0, own, { bg = mixed(under, block.colour), ctermbg = is_dark and block.dark or block.light })
    vim.api.nvim_set_hl(0, 'WarplensBlock' .. number, { link = own, default = true })
  end
end

---@class warplens.Pane
---@field buffer integer
---@field map? warplens.LineMap nil for the source

--- Numbers the source lines that have code in any view, in text order, from 1.
---@param panes warplens.Pane[]
---@return table<integer, integer>
local function numbers_of(panes)
  local sources = {}
  for _, pane in ipairs(panes) do
    for _, line in ipairs(pane.map and pane.map:sources() or {}) do
      sources[line] = true
    end
  end
  local lines = vim.tbl_keys(sources)
  table.sort(lines)
  local numbers = {}
  for number, line in ipairs(lines) do
    numbers[line] = number
  end
  return numbers
end

--- Removes the blocks from a buffer.
---@param buffer integer
function M.clear(buffer)
  if vim.api.nvim_buf_is_valid(buffer) then
    vim.api.nvim_buf_clear_namespace(buffer, space, 0, -1)
  end
end

---@return boolean
function M.are_wanted()
  return require('warplens.options').get().colour_blocks == true
end

--- Replaces the blocks of a source and its views. If the option is off, only removes them.
---@param panes warplens.Pane[]
---@return boolean are_wanted
function M.paint(panes)
  local is_wanted = M.are_wanted()
  local numbers = is_wanted and #panes > 1 and numbers_of(panes) or {}
  for _, pane in ipairs(panes) do
    M.clear(pane.buffer)
    local count = vim.api.nvim_buf_line_count(pane.buffer)
    local function mark(line, source)
      local number = numbers[source]
      if number and line < count then
        local group = 'WarplensBlock' .. ((number - 1) % #COLOURS + 1)
        vim.api.nvim_buf_set_extmark(pane.buffer, space, line, 0, { line_hl_group = group, priority = PRIORITY })
      end
    end
    if pane.map then
      pane.map:each_listed(mark)
    else
      for source in pairs(numbers) do
        mark(source, source)
      end
    end
  end
  return is_wanted
end

define()
vim.api.nvim_create_autocmd({ 'ColorScheme', 'OptionSet' }, {
  group = vim.api.nvim_create_augroup('warplens.blocks', {}),
  desc = 'Fit the backgrounds of blocks to the colour scheme',
  callback = function(event)
    if event.event == 'ColorScheme' or event.match == 'background' then
      define()
    end
  end,
})

return M
