--- The plugin's options: the global `g:warplens`, read at each use so that it can be set at any time.

local M = {}

---@class warplens.Options
local DEFAULTS = {
  --- Show latency and issue cycle next to each instruction as soon as the server runs.
  inlay_hints = true,
  --- Show the lines above kernels and loops.
  code_lens = true,
  --- Fold by the server's folding ranges. Off: the window's folding is unchanged.
  folding = false,
  --- Propose opcodes, modifiers and registers while the user types. Off: only at |i_CTRL-X_CTRL-O|.
  completion = false,
  --- Give corresponding lines of a source and of the PTX and SASS next to it the same pale background.
  colour_blocks = true,
  --- Show each line's share of the time in the margin: of the samples of an attached profile, otherwise as predicted.
  --- `'measured'`: only shares from profiles.
  heat = true,
  --- Encodings at the ends of a listing's lines: `'shown'`, `'dimmed'` or `'hidden'`.
  encodings = 'dimmed',
  --- Show which instructions write and read the registers of the one at the cursor, and how long the registers are live.
  relations = false,
  --- Say in the window of diagnostics how to open the page of a finding's rule.
  rule_pages = true,
  --- Map `]h` and `[h` to the next and the previous hot line, and `gK` to the page of a finding's rule, in the server's
  --- buffers, unless something else is mapped to them.
  maps = true,
  --- Let NVIDIA's tools and clang run: nvdisasm or cuobjdump on cubins that are opened, ptxas, and nvcc or clang, for
  --- `:WarplensSass` and in the background. Off: the resources of a cubin's kernels are shown, and nothing is compiled.
  --- `true`: in the workspaces that `:WarplensTrust` allows. A list of folders: in these folders and their subfolders.
  ---@type boolean|string[]
  disassemble = false,
}

---@return warplens.Options
function M.get()
  return vim.tbl_extend('force', DEFAULTS, vim.g.warplens or {})
end

--- Returns the names in `g:warplens` that are not options, sorted.
---@return string[]
function M.unknown()
  local names = vim.tbl_filter(function(name)
    return DEFAULTS[name] == nil
  end, vim.tbl_keys(vim.g.warplens or {}))
  table.sort(names)
  return names
end

--- Returns a message for each option with an invalid value, sorted.
---@return string[]
function M.wrong()
  local now, wrong = M.get(), {}
  for name, values in pairs({ encodings = { 'shown', 'dimmed', 'hidden' }, heat = { true, false, 'measured' } }) do
    if not vim.list_contains(values, now[name]) then
      wrong[#wrong + 1] = ('`%s` must be %s, not %s'):format(name, table.concat(vim.tbl_map(vim.inspect, values), ' or '), vim.inspect(now[name]))
    end
  end
  if type(now.disassemble) ~= 'boolean' and not vim.islist(now.disassemble) then
    wrong[#wrong + 1] = ('`disassemble` must be true, false or a list of folders, not %s'):format(vim.inspect(now.disassemble))
  end
  table.sort(wrong)
  return wrong
end

return M
