--- Tools run only in workspaces in which `:WarplensTrust` was used.

local t = dofile(vim.env.WARPLENS_ROOT .. '/tests/e2e/nvim/harness.lua')
local trust = require('warplens.trust')

local place = vim.uv.fs_realpath(vim.fn.tempname():match('.*/')) .. '/trust'
local one, other = place .. '/one', place .. '/other'
for _, folder in ipairs({ one, other }) do
  vim.fn.mkdir(folder .. '/src', 'p')
  vim.fn.writefile({ '' }, folder .. '/warplens.toml')
  vim.fn.writefile(vim.fn.readfile(t.path('tests/e2e/stand_in/scale.ptx')), folder .. '/src/scale.ptx')
end

t.case('an option alone trusts no folder', function()
  vim.g.warplens = { disassemble = true }
  t.equal({ false, false, false }, { trust.allows(one), trust.allows(other), trust.allows(nil) }, 'trusted')
end)

t.case('each workspace is trusted separately and permanently', function()
  vim.cmd.edit(one .. '/src/scale.ptx')
  vim.cmd.WarplensTrust()
  t.equal({ true, false, false }, { trust.allows(one), trust.allows(other), trust.allows(place) }, 'trusted')
  t.equal(false, trust.allows(one .. '/src'), 'a folder in it')
  local kept = vim.fn.readfile(vim.fn.stdpath('state') .. '/warplens/trusted.json')
  t.equal({ one }, vim.json.decode(table.concat(kept)), 'remembered')
  vim.cmd.WarplensTrust({ bang = true })
  t.equal(false, trust.allows(one), 'forgotten')
end)

t.case('without the option no folder is trusted', function()
  vim.cmd.WarplensTrust()
  vim.g.warplens = { disassemble = false }
  t.equal(false, trust.allows(one), 'trusted')
end)

t.case('a list of folders trusts everything in them', function()
  vim.g.warplens = { disassemble = { one } }
  t.equal({ true, true, false, false }, {
    trust.allows(one),
    trust.allows(one .. '/src'),
    trust.allows(one .. 's'),
    trust.allows(other),
  }, 'trusted')
end)

t.finish()
