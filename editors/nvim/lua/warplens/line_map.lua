--- Which lines of a listing and of the source that it was made of belong together. All lines count from 0.

---@class warplens.MappedFunction
---@field name string
---@field listing [integer, integer] from the first line to before the end
---@field source [integer, integer]

---@alias warplens.Side 'listing'|'source'

---@class warplens.LineMap
---@field is_overtaken boolean the source is another one than the listing was made of
---@field private pairs [integer, integer][] a line of the listing with the one of the source
---@field private functions warplens.MappedFunction[]
---@field private lines table<warplens.Side, table<integer, integer[]>>
local LineMap = {}
LineMap.__index = LineMap

---@param pairs_ [integer, integer][]
---@param functions warplens.MappedFunction[]
---@return warplens.LineMap
function LineMap.new(pairs_, functions)
  local map = setmetatable({ pairs = pairs_, functions = functions, lines = {}, is_overtaken = false }, LineMap)
  map:index()
  return map
end

---@private
function LineMap:index()
  local lines = { listing = {}, source = {} }
  local function add(side, from, to)
    lines[side][from] = lines[side][from] or {}
    table.insert(lines[side][from], to)
  end
  for _, pair in ipairs(self.pairs) do
    add('listing', pair[1], pair[2])
    add('source', pair[2], pair[1])
  end
  self.lines = lines
end

--- The lines on the other side that belong to a line, in order.
---@param side warplens.Side
---@param line integer
---@return integer[]
function LineMap:others(side, line)
  return self.lines[side][line] or {}
end

--- Where the other side has to be for a line to stand beside what belongs to it: a line that belongs to nothing stands
--- where the nearest one above it does, in the same function. Nil outside of all functions.
---@param side warplens.Side
---@param line integer
---@return integer?
function LineMap:beside(side, line)
  local other = side == 'source' and 'listing' or 'source'
  local around = vim.iter(self.functions):find(function(one)
    return one[side][1] <= line and line < one[side][2]
  end)
  for above = line, around and around[side][1] or line, -1 do
    local first = self:others(side, above)[1]
    if first then
      return first
    end
  end
  return around and around[other][1]
end

--- The lines of the source that something belongs to, in no order.
---@return integer[]
function LineMap:sources()
  return vim.tbl_keys(self.lines.source)
end

--- Calls a function with each line of the listing that belongs to the source, and the first line there.
---@param take fun(line: integer, source: integer)
function LineMap:each_listed(take)
  for line, sources in pairs(self.lines.listing) do
    take(line, sources[1])
  end
end

--- The source has been edited: the lines from `first` to before `last` are now those to before `new_last`. What was made of
--- them is not known any more.
---@param first integer
---@param last integer
---@param new_last integer
function LineMap:edited(first, last, new_last)
  self.is_overtaken = true
  local function moved(line)
    return line >= last and line + new_last - last or line
  end
  local kept = {}
  for _, pair in ipairs(self.pairs) do
    if pair[2] < first or pair[2] >= last then
      kept[#kept + 1] = { pair[1], moved(pair[2]) }
    end
  end
  self.pairs = kept
  for _, one in ipairs(self.functions) do
    one.source = { moved(one.source[1]), moved(one.source[2]) }
  end
  self:index()
end

return LineMap
