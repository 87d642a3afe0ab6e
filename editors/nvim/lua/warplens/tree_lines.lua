--- Lines of a top-down tree: one for each category, stall reason, part, instruction and piece of advice.

local M = {}

--- Smallest share that is shown: of all stalls for a node, of the samples with its reason for an instruction. A line gives
--- the number of omitted nodes.
local LEAST = 0.01
--- Figures per line.
local FACTS = 3
local INDENT = 2
--- Columns that a share and the blanks after it take.
local WIDTH = 9

--- Names of the data from which the stall reasons come.
local BASIS = {
  counters = 'warp state counters',
  samples = 'warp state samples',
  nvprof = "nvprof's stall reasons",
}

---@class warplens.Place
---@field address integer bytes from the first instruction of the kernel
---@field text? string
---@field file? string
---@field line? integer from 1
---@field share number of the samples with the reason, 0 to 1

---@class warplens.Fact
---@field title string
---@field value number
---@field unit string

---@class warplens.Advice
---@field code string
---@field text string
---@field sentence string the gain and its reasons
---@field removes number 0 to 1
---@field gain? { times: number } expected speedup of the launch

---@class warplens.Node
---@field name string
---@field title string
---@field of_stalls number 0 to 1
---@field of_cycles? number 0 to 1
---@field facts warplens.Fact[]
---@field children warplens.Node[]
---@field places warplens.Place[]
---@field advice warplens.Advice[]

---@class warplens.TopDownAnswer
---@field kernel string as in the request
---@field title string
---@field tree { root: warplens.Node, basis: string, gpu: string, figures: warplens.Fact[] }

--- A range of bytes of a line, with its highlight group or with the share that determines it.
---@class warplens.LinePart
---@field first integer
---@field last integer exclusive
---@field group? string
---@field share? number

---@class warplens.TreeLine
---@field text string
---@field depth integer 0 for lines above the tree
---@field key? string identifies a line that starts a fold
---@field place? warplens.Place
---@field guide? string code of the guide whose advice it is
---@field parts warplens.LinePart[]

--- Returns a value from JSON, with nil for null.
---@generic T
---@param value T
---@return T?
local function known(value)
  if value ~= vim.NIL then
    return value
  end
end

---@param share number
---@return string
local function percent(share)
  return ('%5.1f %%'):format(100 * share)
end

--- Formats a figure with its unit. The larger the figure, the fewer decimals it has.
---@param fact warplens.Fact
---@return string
local function figure(fact)
  -- An empty sum may be a negative zero.
  local value = fact.value == 0 and 0 or fact.value
  local size = math.abs(value)
  local digits = (size >= 100 or value % 1 == 0) and 0 or size >= 10 and 1 or 2
  local text = ('%.' .. digits .. 'f'):format(value)
  if fact.unit == '' or fact.unit == '%' then
    return text .. (fact.unit == '%' and ' %' or '')
  end
  return ('%s %s%s'):format(text, fact.unit, text == '1' and '' or 's')
end

--- Joins texts to a line. Each text may have a highlight group or a share.
---@param depth integer
---@param texts { [1]: string, [2]?: string|number }[]
---@return warplens.TreeLine
local function line_of(depth, texts)
  local line = { text = (' '):rep(INDENT * math.max(0, depth - 1)), depth = depth, parts = {} }
  for _, part in ipairs(texts) do
    -- Names in a profile may contain control characters.
    local text = part[1]:gsub('%c', ' ')
    local first = #line.text
    line.text = line.text .. text
    local of = part[2]
    if of then
      local own = { first = first, last = #line.text }
      own[type(of) == 'number' and 'share' or 'group'] = of
      table.insert(line.parts, own)
    end
  end
  return line
end

---@param lines warplens.TreeLine[]
---@param depth integer
---@param facts warplens.Fact[]
local function add_facts(lines, depth, facts)
  local blanks = (' '):rep(depth > 0 and WIDTH or 0)
  for first = 1, #facts, FACTS do
    local words = {}
    for at = first, math.min(first + FACTS - 1, #facts) do
      words[#words + 1] = facts[at].title .. ' ' .. figure(facts[at])
    end
    table.insert(lines, line_of(depth, { { blanks .. table.concat(words, ', '), 'Comment' } }))
  end
end

---@param lines warplens.TreeLine[]
---@param depth integer
---@param all warplens.Advice[]
local function add_advice(lines, depth, all)
  for _, advice in ipairs(all) do
    local line = line_of(depth, {
      { depth > 0 and (' '):rep(WIDTH - 2) .. '» ' or '» ', 'DiagnosticHint' },
      { advice.code, 'Special' },
      { ': ' .. advice.text .. ' ' },
      { advice.sentence, 'Comment' },
    })
    line.guide = advice.code
    table.insert(lines, line)
  end
end

---@param depth integer
---@param place warplens.Place
---@return warplens.TreeLine
local function place_line(depth, place)
  local own = {
    address = place.address,
    text = known(place.text),
    file = known(place.file),
    line = known(place.line),
    share = place.share,
  }
  local texts = {
    { percent(own.share) .. '  ', 'Comment' },
    { ('0x%04x'):format(own.address), 'Number' },
    { own.text and '  ' .. own.text or '' },
  }
  if own.file and own.line then
    table.insert(texts, { ('  %s:%d'):format(own.file:match('[^/\\]*$'), own.line), 'Directory' })
  end
  local line = line_of(depth, texts)
  line.place = own
  return line
end

---@param lines warplens.TreeLine[]
---@param depth integer
---@param node warplens.Node
---@param way string names of the node and its ancestors, each after a slash
local function add_children(lines, depth, node, way)
  local less = 0
  for _, child in ipairs(node.children) do
    if child.of_stalls < LEAST then
      less = less + 1
    else
      local texts = { { percent(child.of_stalls), child.of_stalls }, { '  ' } }
      if depth == 2 then
        vim.list_extend(texts, { { child.name, 'Identifier' }, { '  ' .. child.title, 'Comment' } })
      else
        table.insert(texts, { child.title })
      end
      local line = line_of(depth, texts)
      table.insert(lines, line)
      local count = #lines
      local key = way .. '/' .. child.name
      add_facts(lines, depth + 1, child.facts)
      add_children(lines, depth + 1, child, key)
      for _, place in ipairs(child.places) do
        if place.share >= LEAST then
          table.insert(lines, place_line(depth + 1, place))
        end
      end
      add_advice(lines, depth + 1, child.advice)
      line.key = #lines > count and key or nil
    end
  end
  if less > 0 then
    table.insert(lines, line_of(depth, { { ('and %d below 1 %% of the stalls'):format(less), 'Comment' } }))
  end
end

--- Returns the lines for a server's answer.
---@param answer warplens.TopDownAnswer
---@param launch? string the launch among those of the kernel, and its profile
---@return warplens.TreeLine[]
function M.of(answer, launch)
  local tree = answer.tree
  local root = tree.root
  local source = ('%sfrom %s; latencies of %s'):format(launch and launch .. ', ' or '', BASIS[tree.basis] or tree.basis, tree.gpu)
  local stalled = known(root.of_cycles)
  local head = 'Each share is a share of all stalls; the profile does not state the number of issue slots.'
  if stalled then
    head = ('%s of the issue slots are empty; each share is a share of these empty slots.'):format(vim.trim(percent(stalled)))
  end
  local lines = { line_of(0, { { answer.title, 'Title' } }), line_of(0, { { source, 'Comment' } }), line_of(0, { { head } }) }
  add_facts(lines, 0, root.facts)
  add_facts(lines, 0, tree.figures)
  add_advice(lines, 0, root.advice)
  add_children(lines, 1, root, '')
  return lines
end

--- Returns the line that replaces a tree if no attached profile has it.
---@param kernel string
---@return warplens.TreeLine[]
function M.none(kernel)
  return { line_of(0, { { 'No attached profile has stall reasons for ' .. kernel, 'Comment' } }) }
end

return M
