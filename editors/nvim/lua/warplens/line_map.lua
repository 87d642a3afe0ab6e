--- Map between the lines of a listing and the lines of the source that it was made from. All lines count from 0.

---@class warplens.MappedFunction
---@field name string
---@field listing [integer, integer] first line and end, exclusive
---@field source [integer, integer] first line and end, exclusive

---@alias warplens.Side 'listing'|'source'

---@class warplens.LineMap
---@field is_overtaken boolean the source has been edited since the listing was made
---@field private pairs [integer, integer][] lines of the listing, each with its line of the source
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

--- Returns the lines on the other side that belong to a line, in the order of the pairs.
---@param side warplens.Side
---@param line integer
---@return integer[]
function LineMap:others(side, line)
  return self.lines[side][line] or {}
end

--- Returns the line on the other side to show next to a line: the first that belongs to it. If no line does, returns that of
--- the nearest line above in the same function, or the function's first line. Nil outside all functions.
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

--- Returns the source lines that have lines in the listing, in no particular order.
---@return integer[]
function LineMap:sources()
  return vim.tbl_keys(self.lines.source)
end

--- Calls `take` with each line of the listing that has source lines, and the first of these.
---@param take fun(line: integer, source: integer)
function LineMap:each_listed(take)
  for line, sources in pairs(self.lines.listing) do
    take(line, sources[1])
  end
end

--- Updates the map after an edit of the source that replaced the lines from `first` to `last` with those from `first` to
--- `new_last`, ends exclusive. The replaced lines no longer belong to any line of the listing.
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
