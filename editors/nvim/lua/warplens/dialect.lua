--- Which notation of SASS a text is written in, told from its first lines.

local M = {}

--- How far to look. The longest preamble met is a register mapping of a hundred lines, and it has marks of its own.
local LINES = 128
--- Of a line: a mark stands near its start, and a minified file may be a single line of megabytes.
local BYTES = 200

--- The marks of each notation, as Lua patterns; the first that matches decides.
---@type { [1]: string, [2]: string }[]
local MARKS = {
  { 'cuasm', '^%s*%.__elf_%w+%s' },
  { 'dsass', '^%[B[0%-][1%-][2%-][3%-][4%-][5%-]:R[0-5%-]:W[0-5%-]:[Y%-]:S%d%d%]' },
  { 'cuasm', '^%s+%[B[0%-][1%-][2%-][3%-][4%-][5%-]:R[0-5%-]:W[0-5%-]:[Y%-]:S%d%d%]' },
  { 'cuobjdump', '^%s*code for sm_%d+' },
  { 'cuobjdump', '^%s*%.headerflags%s+@"EF_CUDA' },
  { 'nvdisasm', '^//%-%-%-%-%-%-%-%-+ %.[%w_]' },
  -- A printed instruction. PTX and C have no comment of four bare hexadecimal digits before a statement.
  { 'nvdisasm', '^%s*/%*%x%x%x%x+%*/%s+{?%s*@?!?[A-Z]' },
  { 'KeplerAs', '^[T%-]:[G%-]:[D%-]:[S%-]:%d%d%s' },
  { 'TuringAs', '^%s*<[rR][eE][gG][sS]>%s*$' },
  { 'maxas', '^%s*<REGISTER_MAPPING>' },
  { 'maxas', '^%s*<CONSTANT_MAPPING>' },
  { 'maxas', '^%s*<SCHEDULE_BLOCK>' },
  -- Both write a control code alike; they differ in the number of the first barrier.
  { 'maxas or TuringAs', '^%s*[%x%-][%x%-]:[0-6%-]:[0-6%-]:[yY%-]:[%x%-]%s' },
}

--- The notation of these lines, or nil where they are no SASS.
---@param lines string[]
---@return string?
function M.of_lines(lines)
  for index = 1, math.min(#lines, LINES) do
    local start = lines[index]:sub(1, BYTES)
    for _, mark in ipairs(MARKS) do
      if start:find(mark[2]) then
        return mark[1]
      end
    end
  end
end

--- The notation of a buffer, or nil. The cost does not grow with the buffer.
---@param buffer integer
---@return string?
function M.of_buffer(buffer)
  return M.of_lines(vim.api.nvim_buf_get_lines(buffer, 0, LINES, false))
end

return M
