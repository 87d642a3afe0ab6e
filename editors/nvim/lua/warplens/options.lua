--- The plugin's own options: the global `g:warplens`, read each time so that it may be set at any moment.

local M = {}

---@class warplens.Options
local DEFAULTS = {
  --- Show latency and issue cycle beside each instruction as soon as the server is there.
  inlay_hints = true,
  --- Show the lines of facts over kernels and loops.
  code_lens = true,
  --- Fold by the server's regions. Off: the window's folding stays as it is.
  folding = false,
  --- Propose opcodes, modifiers and registers while one types. Off: |i_CTRL-X_CTRL-O| asks for them.
  completion = false,
  --- Give the lines of a source and of the PTX and SASS beside it that belong together the same pale background.
  colour_blocks = true,
  --- Show in the margin which share of the time each line has: of the samples of an attached profile, else as predicted.
  --- `'measured'`: where a profile is attached alone.
  heat = true,
  --- Encodings at the ends of a listing's lines: `'shown'`, `'dimmed'` or `'hidden'`.
  encodings = 'dimmed',
  --- Show as the cursor moves who writes and who reads the registers of the instruction, and how long they live.
  relations = false,
  --- Say in the window of diagnostics how to open the page of a finding's rule.
  rule_pages = true,
  --- Map `]h` and `[h` to the next and the previous hot line, and `gK` to the page of a finding's rule, in the buffers of a
  --- server, where nothing else is mapped to them.
  maps = true,
  --- Let the vendor's tools and clang run: nvdisasm or cuobjdump on the cubins that are opened, ptxas, and nvcc or clang, for
  --- `:WarplensSass` and in the background. Off: the resources of a cubin's kernels are shown, and nothing is compiled.
  --- `true`: in the workspaces that `:WarplensTrust` was used in. A list of folders: in those, and in what lies in them.
  ---@type boolean|string[]
  disassemble = false,
}

---@return warplens.Options
function M.get()
  return vim.tbl_extend('force', DEFAULTS, vim.g.warplens or {})
end

--- The names in `g:warplens` that mean nothing.
---@return string[]
function M.unknown()
  local names = vim.tbl_filter(function(name)
    return DEFAULTS[name] == nil
  end, vim.tbl_keys(vim.g.warplens or {}))
  table.sort(names)
  return names
end

--- Values of options that mean nothing, in words.
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
