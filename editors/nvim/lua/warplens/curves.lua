--- Occupancy curves, each drawn as one line of block characters.

local M = {}

--- Characters of a bar, from the fewest warps to the most. No warps are a blank.
local BLOCKS = { '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█' }
local COLUMNS = 64

---@class warplens.CurvePoint
---@field x integer
---@field warps integer
---@field blocks integer

---@class warplens.Curve
---@field axis string
---@field unit string
---@field now integer
---@field nowBlocks integer
---@field nowWarps integer
---@field maxWarps integer
---@field points warplens.CurvePoint[] where the number of blocks or warps changes, and the largest legal value
---@field tip? string

---@class warplens.Curves
---@field gpu string
---@field model? string
---@field curves warplens.Curve[]

--- Returns the step that contains `x`: the last point at or below it, or the first point.
---@param points warplens.CurvePoint[]
---@param x number
---@return warplens.CurvePoint
local function step_at(points, x)
  local found = points[1]
  for _, point in ipairs(points) do
    if point.x <= x then
      found = point
    end
  end
  return found
end

--- Returns the column of a value, from 0.
---@param curve warplens.Curve
---@param x number
---@return integer
local function column_of(curve, x)
  local first, last = curve.points[1].x, curve.points[#curve.points].x
  local share = last > first and (x - first) / (last - first) or 0
  return math.floor(math.min(math.max(share, 0), 1) * (COLUMNS - 1) + 0.5)
end

---@param curve warplens.Curve
---@return string
local function bar_of(curve)
  local first, last = curve.points[1].x, curve.points[#curve.points].x
  local now = column_of(curve, curve.now)
  local bar = {}
  for column = 0, COLUMNS - 1 do
    -- The column of the current value always shows its warps, even if the column's position is on another step.
    local warps = column == now and curve.nowWarps
      or step_at(curve.points, first + (last - first) * column / (COLUMNS - 1)).warps
    local eighths = math.ceil(warps / math.max(curve.maxWarps, 1) * #BLOCKS)
    bar[#bar + 1] = warps <= 0 and ' ' or BLOCKS[math.min(math.max(eighths, 1), #BLOCKS)]
  end
  return table.concat(bar)
end

--- Formats a number with its digits in groups of three: `232,448`.
---@param number integer
---@return string
local function grouped(number)
  local digits = ('%d'):format(number)
  return (digits:reverse():gsub('(%d%d%d)(%d)', '%1,%2'):gsub('(%d%d%d)(%d)', '%1,%2'):reverse())
end

---@param count integer
---@param word string
---@return string
local function counted(count, word)
  return ('%d %s%s'):format(count, word, count == 1 and '' or 's')
end

--- Returns Markdown lines: for each curve its axis and range, the bar, a mark at the current value and, if there is one,
--- the tip.
---@param answer warplens.Curves
---@return string[]
function M.draw(answer)
  local lines = { ('**Occupancy** on %s'):format(answer.gpu), '', '```text' }
  for index, curve in ipairs(answer.curves) do
    if #curve.points > 0 then
      if index > 1 then
        lines[#lines + 1] = ''
      end
      local first, last = curve.points[1].x, curve.points[#curve.points].x
      local head = ('%s, %s to %s %s'):format(curve.axis, grouped(first), grouped(last), curve.unit)
      local now = ('▲ %s: %s, %d of %d warps per SM'):format(
        grouped(curve.now),
        counted(curve.nowBlocks, 'block'),
        curve.nowWarps,
        curve.maxWarps
      )
      local room = math.max(COLUMNS - vim.fn.strdisplaywidth(now), 0)
      local column = column_of(curve, curve.now)
      -- The text is on the left of the mark if there is no room on its right.
      local marked = column <= room and (' '):rep(column) .. now
        or (' '):rep(math.max(column + 1 - vim.fn.strdisplaywidth(now), 0)) .. now:gsub('^▲ (.*)$', '%1 ▲')
      vim.list_extend(lines, { head, bar_of(curve), marked })
      if type(curve.tip) == 'string' then
        lines[#lines + 1] = curve.tip
      end
    end
  end
  lines[#lines + 1] = '```'
  return lines
end

return M
