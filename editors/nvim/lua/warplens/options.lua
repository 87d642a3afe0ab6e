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
  --- Give the lines of a source and of the PTX and SASS beside it that belong together the same pale background.
  colour_blocks = true,
  --- Show in the margin which share of the samples of an attached profile each line has.
  heat = true,
  --- Let the vendor's tools and clang run: nvdisasm or cuobjdump on the cubins that are opened, ptxas, and nvcc or clang, for
  --- `:WarplensSass` and in the background. Off: the resources of a cubin's kernels are shown, and nothing is compiled.
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

return M
