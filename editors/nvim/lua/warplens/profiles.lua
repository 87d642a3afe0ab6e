--- Profiles at the code that ran: attaches files, chooses the launch of a kernel, and compares two profiles.
---
--- The server itself requests that hints, lenses and findings are refreshed. It only notifies the plugin that profiles have
--- changed; the plugin then updates the signs in the margin and the top-down trees.

local clients = require('warplens.clients')
local heat = require('warplens.heat')
local top_down = require('warplens.top_down')

local M = {}

local ATTACH = 'warplens/attachProfiles'
local LAUNCHES = 'warplens/profiledLaunches'
local COMPARE = 'warplens/compareProfiles'

--- Extensions of the files that a selection offers, and of all files that the server reads, for completion.
local OFFERED = { 'ncu-rep', 'csv' }
local READ = { 'ncu-rep', 'csv', 'txt', 'log' }
--- The folder in which the server finds reports without a command.
local FOLDER = '.warplens'
--- Depth of the search below the working directory, and the maximum number of files that are offered.
local DEPTH = 4
local MOST_OFFERED = 500

---@class warplens.AttachedProfiles
---@field profiles string[]
---@field problems string[] the server shows them to the user as well
---@field matched? { uri: string, measured: integer, kernels: integer } of the document that was viewed last

---@class warplens.ProfiledLaunch
---@field kernel string as the profile names it
---@field profile string
---@field number integer among the launches of the kernel, from 0
---@field isChosen boolean
---@field title string

--- Absolute paths of the files that the user attached. Empty after all were detached; nil while the servers search for files.
---@type string[]?
local wanted

--- By client id: the value of `wanted` that was sent to the server.
---@type table<integer, string[]>
local told = {}

---@param text string
---@param level? integer
local function say(text, level)
  vim.notify('warplens: ' .. text, level or vim.log.levels.INFO)
end

---@param client vim.lsp.Client
---@param done? fun(answer: warplens.AttachedProfiles)
local function send(client, done)
  local paths = assert(wanted)
  told[client.id] = paths
  client:request(ATTACH, { paths = paths }, function(err, answer)
    if err then
      say(clients.why(err), vim.log.levels.ERROR)
    elseif done then
      done(answer)
    end
  end)
end

--- Sends the attached files to a server that was started after they were attached.
---@param client vim.lsp.Client
function M.tell(client)
  if wanted and told[client.id] ~= wanted then
    send(client)
  end
end

--- Notifies the user which profiles are attached, and how many kernels they measured in the document that was viewed last.
---@param answer warplens.AttachedProfiles
local function say_matched(answer)
  local names = table.concat(answer.profiles, ', ')
  local matched = answer.matched
  if not matched then
    return say('attached ' .. names)
  end
  local file = vim.fs.basename(vim.uri_to_fname(matched.uri))
  local kernels = ('%d %s of %s'):format(matched.kernels, matched.kernels == 1 and 'kernel' or 'kernels', file)
  if matched.measured > 0 then
    say(('%s: %d of %s measured'):format(names, matched.measured, kernels))
  else
    say(('%s: none of the %s was measured; :WarplensLaunch lists the launches in the profile'):format(names, kernels), vim.log.levels.WARN)
  end
end

--- Attaches exactly these files in all servers. An empty list detaches all profiles.
---@param paths string[] absolute
local function show(paths)
  wanted = paths
  local all = clients.all()
  if #all == 0 then
    return say('no server is running; the profiles are shown once a file is open', vim.log.levels.WARN)
  end
  for number, client in ipairs(all) do
    -- Each server reads the files itself, and all return the same answer, so one message is enough.
    send(client, number == 1 and function(answer)
      if #answer.profiles > 0 then
        say_matched(answer)
        require('warplens.hot').go_to_hottest(client)
      elseif #paths == 0 then
        say('all profiles are detached')
      end
    end or nil)
  end
end

---@param name string
---@param endings string[]
---@return boolean
local function ends_in(name, endings)
  return vim.list_contains(endings, name:match('%.([%w-]+)$'))
end

--- Returns the profiles below the working directory, relative to it, reports first. Hidden folders and `node_modules` are
--- skipped, except the folder for profiles.
---@return string[]
local function found()
  local root = vim.fn.getcwd()
  local files = {}
  local function look_into(relative)
    local name = vim.fs.basename(relative)
    return name == FOLDER or not (vim.startswith(name, '.') or name == 'node_modules')
  end
  for name, kind in vim.fs.dir(root, { depth = DEPTH, skip = look_into }) do
    if kind ~= 'directory' and ends_in(name, OFFERED) then
      files[#files + 1] = name
      if #files == MOST_OFFERED then
        break
      end
    end
  end
  table.sort(files, function(one, other)
    local is_report = ends_in(one, { 'ncu-rep' })
    if is_report ~= ends_in(other, { 'ncu-rep' }) then
      return is_report
    end
    return one < other
  end)
  return files
end

--- Attaches the files that the names and patterns match, in place of those that are attached. Without a name, the user
--- chooses one of the files below the working directory.
---@param names string[]
function M.attach(names)
  if #names > 0 then
    local paths = {}
    for _, name in ipairs(names) do
      local matches = vim.fn.glob(name, true, true)
      -- The server reports files that do not exist.
      for _, path in ipairs(#matches > 0 and matches or { name }) do
        paths[#paths + 1] = vim.fn.fnamemodify(path, ':p')
      end
    end
    return show(paths)
  end
  local files = found()
  if #files == 0 then
    return say('there are no *.ncu-rep and no *.csv files below ' .. vim.fn.fnamemodify(vim.fn.getcwd(), ':~'), vim.log.levels.WARN)
  end
  vim.ui.select(files, { prompt = 'Profile' }, function(file)
    if file then
      show({ vim.fn.fnamemodify(file, ':p') })
    end
  end)
end

--- Detaches all profiles, including those that the server has found.
function M.detach()
  show({})
end

--- Returns the files that profilers write and the folders that start with the typed word, for completion.
---@param begun string
---@return string[]
function M.complete(begun)
  return vim.tbl_filter(function(name)
    return vim.endswith(name, '/') or ends_in(name, READ)
  end, vim.fn.getcompletion(begun, 'file'))
end

--- Shows another launch of a kernel, which the user chooses among those of all attached profiles.
function M.choose_launch()
  local client = clients.all(0)[1] or clients.all()[1]
  if not client then
    return say('no server is running', vim.log.levels.WARN)
  end
  client:request(LAUNCHES, vim.empty_dict(), function(err, answer)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    ---@type warplens.ProfiledLaunch[]
    local launches = answer.launches
    if #launches == 0 then
      return say('no profile is attached: see :help :WarplensProfile', vim.log.levels.WARN)
    end
    local choice = {
      prompt = 'Launch',
      ---@param launch warplens.ProfiledLaunch
      format_item = function(launch)
        local shown = launch.isChosen and '*' or ' '
        return ('%s launch %d: %s  (%s)'):format(shown, launch.number + 1, launch.title, launch.profile)
      end,
    }
    vim.ui.select(launches, choice, function(launch)
      if launch then
        local choose = { kernel = launch.kernel, number = launch.number }
        for _, each in ipairs(clients.all()) do
          each:request(LAUNCHES, { choose = choose }, function() end)
        end
      end
    end)
  end)
end

---@class warplens.ComparedProfiles
---@field files string[] absolute paths of the attached files
---@field title? string
---@field text? string Markdown
---@field reason? string why there is no text

--- Opens a tab that shows what changed from one profile to another.
---@param client vim.lsp.Client
---@param before string absolute path
---@param after string absolute path
local function compare(client, before, after)
  client:request(COMPARE, { before = before, after = after }, function(err, answer)
    ---@cast answer warplens.ComparedProfiles
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    if type(answer.text) ~= 'string' then
      return say(tostring(answer.reason), vim.log.levels.WARN)
    end
    vim.cmd.tabnew()
    local buffer = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(vim.trim(answer.text), '\n'))
    vim.bo[buffer].buftype, vim.bo[buffer].bufhidden, vim.bo[buffer].modifiable = 'nofile', 'wipe', false
    pcall(vim.api.nvim_buf_set_name, buffer, 'warplens-profiles:' .. tostring(answer.title))
    vim.bo[buffer].filetype = 'markdown'
    vim.wo.wrap = false
  end)
end

--- Compares two profiles: the files with these names, or two that the user chooses among those that are attached or found.
---@param names string[] before and after; none to choose
function M.compare(names)
  local client = clients.all(0)[1] or clients.all()[1]
  if not client then
    return say('no server is running', vim.log.levels.WARN)
  end
  if #names == 2 then
    return compare(client, vim.fn.fnamemodify(names[1], ':p'), vim.fn.fnamemodify(names[2], ':p'))
  elseif #names == 1 then
    return say('name two files, the one before and the one after the change', vim.log.levels.WARN)
  end
  client:request(COMPARE, vim.empty_dict(), function(err, answer)
    if err then
      return say(clients.why(err), vim.log.levels.ERROR)
    end
    ---@cast answer warplens.ComparedProfiles
    local files = vim.tbl_map(function(file)
      return vim.fn.fnamemodify(file, ':p')
    end, vim.list_extend(answer.files, found()))
    files = vim.fn.uniq(vim.fn.sort(files)) --[[@as string[] ]]
    if #files < 2 then
      return say('a comparison needs two profiles, but fewer are attached or found', vim.log.levels.WARN)
    end
    local function select(prompt, done)
      local choice = {
        prompt = prompt,
        format_item = function(file)
          return vim.fn.fnamemodify(file, ':~:.')
        end,
      }
      vim.ui.select(files, choice, function(file)
        if file then
          done(file)
        end
      end)
    end
    select('Profile before the change', function(before)
      select('Profile after the change', function(after)
        compare(client, before, after)
      end)
    end)
  end)
end

---@type table<string, lsp.Handler>
M.handlers = {
  ['warplens/profilesChanged'] = function(_, _, context)
    local client = vim.lsp.get_client_by_id(context.client_id)
    if client then
      heat.refresh_all(client)
      top_down.refresh_all(client)
    end
  end,
}

return M
