--- Detection of the SASS notation of a text, and of PTX, from its first lines.

local M = {}

--- Number of lines to examine. The longest known preamble is a register mapping of a hundred lines, which itself has marks.
local LINES = 128
--- Number of bytes of a line to examine. A mark is near the start of its line, and a minified file may be a single line
--- of megabytes.
local BYTES = 200

--- Notations with the weights and the Lua patterns of their marks. A line of prose weighs -1. A header counts more than an
--- instruction, because it appears once and instructions appear on every line.
---@type { [1]: string, [2]: integer, [3]: string }[]
local MARKS = {
  { 'cuasm', 5, '^%s*%.__elf_%w+%s' },
  { 'dsass', 1, '^%[B[0%-][1%-][2%-][3%-][4%-][5%-]:R[0-5%-]:W[0-5%-]:[Y%-]:S%d%d%]' },
  { 'cuasm', 1, '^%s+%[B[0%-][1%-][2%-][3%-][4%-][5%-]:R[0-5%-]:W[0-5%-]:[Y%-]:S%d%d%]' },
  { 'cuobjdump', 5, '^%s*code for sm_%d+' },
  { 'cuobjdump', 5, '^%s*%.headerflags%s+@"EF_CUDA' },
  { 'nvdisasm', 5, '^//%-%-%-%-%-%-%-%-+ %.[%w_]' },
  -- A printed instruction. PTX and C have no comment of four bare hexadecimal digits before a statement.
  { 'nvdisasm', 1, '^%s*/%*%x%x%x%x+%*/%s+{?%s*@?!?[A-Z]' },
  { 'KeplerAs', 1, '^[T%-]:[G%-]:[D%-]:[S%-]:%d%d%s' },
  { 'TuringAs', 5, '^%s*<[rR][eE][gG][sS]>%s*$' },
  { 'maxas or KeplerAs', 5, '^%s*<REGISTER_MAPPING>' },
  { 'maxas or KeplerAs', 5, '^%s*<CONSTANT_MAPPING>' },
  { 'maxas or KeplerAs', 5, '^%s*<SCHEDULE_BLOCK>' },
  -- Both write control codes in the same way. They differ in the number of the first barrier.
  { 'maxas or TuringAs', 1, '^%s*[%x%-][%x%-]:[0-6%-]:[0-6%-]:[yY%-]:[%x%-]%s' },
}

--- Whether a line is prose: outside a comment, two consecutive words in lower case. A text that quotes a listing has many
--- such lines.
---@param line string
local function is_prose(line)
  return line:find('%l%l+ %l%l+') and not line:find('^%s*[#/*]')
end

---@param line string
---@return string? notation, integer? worth
local function mark_of(line)
  for _, mark in ipairs(MARKS) do
    if line:find(mark[3]) then
      return mark[1], mark[2]
    end
  end
end

--- Returns the notation of the lines, or nil if they are not SASS.
---@param lines string[]
---@return string?
function M.of_lines(lines)
  local first, balance = nil, 0
  for index = 1, math.min(#lines, LINES) do
    local start = lines[index]:sub(1, BYTES)
    local notation, worth = mark_of(start)
    if notation then
      first = first or notation
      balance = balance + worth
    elseif is_prose(start) then
      balance = balance - 1
    end
  end
  return balance > 0 and first or nil
end

--- Returns the notation of a buffer, or nil if it is not SASS. The cost does not grow with the buffer.
---@param buffer integer
---@return string?
function M.of_buffer(buffer)
  return M.of_lines(vim.api.nvim_buf_get_lines(buffer, 0, LINES, false))
end

--- Whether the first line of a buffer that is neither blank nor a comment is the `.version` of PTX.
---@param buffer integer
---@return boolean
function M.is_ptx(buffer)
  for _, line in ipairs(vim.api.nvim_buf_get_lines(buffer, 0, LINES, false)) do
    local start = line:sub(1, BYTES)
    if start:find('%S') and not start:find('^%s*[#/*]') then
      return start:find('^%s*%.version%s+%d+%.%d+') ~= nil
    end
  end
  return false
end

return M
