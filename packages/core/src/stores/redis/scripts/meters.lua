-- The limit algorithms over cells, as `operations/limits/` specifies them: `open` and `unpack` make the state, `pack`
-- writes it down, and the rest are the functions of the same names there. Cells are changed in place. A meter is made
-- when a rule asks for it: to make the functions of all took longer than ten takes.
local makers, meters = {}, {}

local function meter_of(algorithm)
  if not meters[algorithm] then meters[algorithm] = makers[algorithm]() end
  return meters[algorithm]
end

-- Sums up to this are exact.
local MOST_UNITS = 9007199254740991

-- The first whole number in [low, high] at which `holds`.
local function first_at(low, high, holds)
  while low < high do
    local middle = low + math.floor((high - low) / 2)
    if holds(middle) then high = middle else low = middle + 1 end
  end
  return low
end

local function limit_of(rule)
  return rule.limit
end

local function fixed_used(cell, rule)
  return now < cell.start + rule.window and cell.used or 0
end

makers['fixed-window'] = function() return {
  open = function(cell, rule) cell.start, cell.used = -rule.window, 0 end,
  unpack = function(cell) cell.start, cell.used = struct.unpack('>dd', cell.body) end,
  pack = function(cell) return struct.pack('>dd', cell.start, cell.used) end,
  capacity = limit_of,
  room = function(cell, rule) return math.max(0, rule.limit - fixed_used(cell, rule)) end,
  fits_at = function(cell, rule, units)
    return fixed_used(cell, rule) + units <= rule.limit and now or cell.start + rule.window
  end,
  charge = function(cell, rule, units, at)
    if now >= cell.start + rule.window then
      local start = rule.clock and at - math.fmod(at, rule.window) or at
      if start + rule.window <= now then return end
      cell.start, cell.used = start, 0
    end
    -- What is charged late had no window that is known here: less than a window ago counts.
    local may_belong = not rule.clock and at + rule.window > now
    if at >= cell.start or may_belong then cell.used = cell.used + units end
  end,
  refund = function(cell, rule, units, at)
    if now < cell.start + rule.window and at >= cell.start then cell.used = math.max(0, cell.used - units) end
  end,
  expiry = function(cell, rule) return cell.used == 0 and 0 or cell.start + rule.window end,
} end

local function slice_at(rule, at)
  return math.floor((at * rule.slices) / rule.window)
end

local function slice_end(rule, slice)
  return math.ceil(((slice + rule.slices + 1) * rule.window) / rule.slices)
end

local function slot_of(rule, slice)
  return math.fmod(slice, rule.slices + 1) + 1
end

-- What counts of the oldest slice that the window touches.
local function oldest_part(count, rule, at)
  if not rule.interpolated then return count end
  local passed = at * rule.slices - slice_at(rule, at) * rule.window
  return math.ceil((count * (rule.window - passed)) / rule.window)
end

local function slices_used(cell, rule, at)
  local oldest = slice_at(rule, at) - rule.slices
  local used = 0
  for slice = math.max(oldest, cell.newest - rule.slices, 0), cell.newest do
    local count = cell.counts[slot_of(rule, slice)]
    used = used + (slice == oldest and oldest_part(count, rule, at) or count)
  end
  return used
end

local function advance_slices(cell, rule, slice)
  for passed = math.max(cell.newest + 1, slice - rule.slices), slice do cell.counts[slot_of(rule, passed)] = 0 end
  cell.newest = math.max(cell.newest, slice)
end

makers['sliding-window'] = function() return {
  open = function(cell, rule)
    cell.newest, cell.counts = 0, {}
    for slot = 1, rule.slices + 1 do cell.counts[slot] = 0 end
  end,
  unpack = function(cell, rule)
    cell.newest = struct.unpack('>d', cell.body)
    cell.counts = { struct.unpack('>' .. string.rep('d', rule.slices + 1), cell.body, 9) }
    -- Last comes the place behind the last count.
    cell.counts[rule.slices + 2] = nil
  end,
  pack = function(cell)
    return struct.pack('>d' .. string.rep('d', #cell.counts), cell.newest, unpack(cell.counts))
  end,
  capacity = limit_of,
  room = function(cell, rule) return math.max(0, rule.limit - slices_used(cell, rule, now)) end,
  fits_at = function(cell, rule, units)
    local last = math.max(now, slice_end(rule, cell.newest))
    return first_at(now, last, function(at) return slices_used(cell, rule, at) + units <= rule.limit end)
  end,
  charge = function(cell, rule, units, at)
    advance_slices(cell, rule, slice_at(rule, now))
    local slice = slice_at(rule, at)
    local slot = slot_of(rule, slice)
    if slice >= cell.newest - rule.slices then cell.counts[slot] = cell.counts[slot] + units end
  end,
  refund = function(cell, rule, units, at)
    local slice = slice_at(rule, at)
    local slot = slot_of(rule, slice)
    if slice <= cell.newest and slice >= cell.newest - rule.slices then
      cell.counts[slot] = math.max(0, cell.counts[slot] - units)
    end
  end,
  expiry = function(cell, rule)
    for slice = cell.newest, math.max(0, cell.newest - rule.slices), -1 do
      if cell.counts[slot_of(rule, slice)] > 0 then return slice_end(rule, slice) end
    end
    return 0
  end,
} end

-- Records of a log: time and units, by rising time, 16 bytes each, so that a log is copied and not taken apart.
local RECORD, RECORD_BYTES = '>dd', 16

local function record_at(cell, i)
  return struct.unpack(RECORD, cell.body, 1 + i * RECORD_BYTES)
end

local function records(cell)
  return #cell.body / RECORD_BYTES
end

-- Replaces `count` records from the `i`th on by `text`.
local function put_records(cell, i, count, text)
  cell.body = string.sub(cell.body, 1, i * RECORD_BYTES) .. text .. string.sub(cell.body, (i + count) * RECORD_BYTES + 1)
end

-- The units of the records from the `i`th on.
local function units_from(cell, i)
  local sum = 0
  for j = records(cell) - 1, i, -1 do
    local _, units = record_at(cell, j)
    sum = sum + units
  end
  return sum
end

-- How many units count now, and how many records count no more. A total that is exact is lessened by what is gone;
-- penalties beyond that are summed up anew.
local function log_used(cell, rule)
  local gone, units_gone = 0, 0
  for i = 0, records(cell) - 1 do
    local at, units = record_at(cell, i)
    if at + rule.window > now then break end
    gone, units_gone = i + 1, units_gone + units
  end
  return cell.total > MOST_UNITS and units_from(cell, gone) or cell.total - units_gone, gone
end

-- The last record that is not younger than `at`; -1 when all are.
local function record_before(cell, at)
  for i = records(cell) - 1, 0, -1 do
    if record_at(cell, i) <= at then return i end
  end
  return -1
end

makers['sliding-log'] = function() return {
  open = function(cell) cell.total, cell.body = 0, '' end,
  unpack = function(cell)
    cell.total = struct.unpack('>d', cell.body)
    cell.body = string.sub(cell.body, 9)
  end,
  pack = function(cell) return struct.pack('>d', cell.total) .. cell.body end,
  capacity = limit_of,
  room = function(cell, rule) return math.max(0, rule.limit - (log_used(cell, rule))) end,
  fits_at = function(cell, rule, units)
    local used, i = log_used(cell, rule)
    local fits = now
    while used + units > rule.limit and i < records(cell) do
      local at, counted = record_at(cell, i)
      used, fits, i = used - counted, at + rule.window, i + 1
    end
    return fits
  end,
  charge = function(cell, rule, units, at)
    local used, gone = log_used(cell, rule)
    put_records(cell, 0, gone, '')
    cell.total = used
    if at + rule.window <= now then return end
    cell.total = used + units
    local place = record_before(cell, at)
    local held, counted
    if place >= 0 then held, counted = record_at(cell, place) end
    if held == at then
      put_records(cell, place, 1, struct.pack(RECORD, at, counted + units))
    else
      put_records(cell, place + 1, 0, struct.pack(RECORD, at, units))
    end
  end,
  refund = function(cell, _, units, at)
    local last = record_before(cell, at)
    local left, i = units, last
    local kept = ''
    while i >= 0 and left > 0 do
      local held, counted = record_at(cell, i)
      local back = math.min(left, counted)
      if back < counted then kept = struct.pack(RECORD, held, counted - back) end
      left, i = left - back, i - 1
    end
    put_records(cell, i + 1, last - i, kept)
    cell.total = cell.total > MOST_UNITS and units_from(cell, 0) or cell.total - (units - left)
  end,
  expiry = function(cell, rule)
    local count = records(cell)
    return count == 0 and 0 or record_at(cell, count - 1) + rule.window
  end,
} end

local function paid_by(debt, limit, ms)
  return ms >= debt / limit and debt or ms * limit
end

local function debt_of(cell, rule, at)
  return rule.limit == 0 and cell.debt or cell.debt - paid_by(cell.debt, rule.limit, math.max(0, at - cell.at))
end

makers['token-bucket'] = function() return {
  open = function(cell) cell.debt, cell.at = 0, 0 end,
  unpack = function(cell) cell.debt, cell.at = struct.unpack('>dd', cell.body) end,
  pack = function(cell) return struct.pack('>dd', cell.debt, cell.at) end,
  capacity = function(rule) return rule.limit == 0 and 0 or rule.burst end,
  room = function(cell, rule)
    return math.max(0, math.floor((rule.burst * rule.window - debt_of(cell, rule, now)) / rule.window))
  end,
  fits_at = function(cell, rule, units)
    local excess = debt_of(cell, rule, now) - (rule.burst - units) * rule.window
    return excess <= 0 and now or now + math.ceil(excess / rule.limit)
  end,
  charge = function(cell, rule, units, at)
    local from = math.max(cell.at, at)
    local paid = rule.limit == 0 and 0 or paid_by(units * rule.window, rule.limit, from - at)
    cell.debt = math.min(rule.burst * rule.window, debt_of(cell, rule, from) + units * rule.window - paid)
    cell.at = from
  end,
  refund = function(cell, rule, units, at)
    local from = math.max(cell.at, at)
    cell.debt = math.max(0, debt_of(cell, rule, from) - units * rule.window)
    cell.at = from
  end,
  expiry = function(cell, rule)
    if cell.debt == 0 then return 0 end
    return cell.at + (rule.limit == 0 and rule.window or math.ceil(cell.debt / rule.limit))
  end,
} end

-- The window of a calendar that `at` lies in; nothing for none of those that the rule has.
local function calendar_window(rule, at)
  for i, edge in ipairs(rule.edges) do
    if edge > at then return rule.edges[i - 1], edge end
  end
end

local function is_outside(rules)
  for _, rule in ipairs(rules) do
    if rule.edges and not calendar_window(rule, now) then return true end
  end
  return false
end

local function calendar_used(cell)
  return now < cell.ends and cell.used or 0
end

makers.calendar = function() return {
  open = function(cell) cell.start, cell.ends, cell.used = 0, 0, 0 end,
  unpack = function(cell) cell.start, cell.ends, cell.used = struct.unpack('>ddd', cell.body) end,
  pack = function(cell) return struct.pack('>ddd', cell.start, cell.ends, cell.used) end,
  capacity = limit_of,
  room = function(cell, rule) return math.max(0, rule.limit - calendar_used(cell)) end,
  fits_at = function(cell, rule, units) return calendar_used(cell) + units <= rule.limit and now or cell.ends end,
  charge = function(cell, rule, units, at)
    if now >= cell.ends then
      local start, ends = calendar_window(rule, at)
      if not start or ends <= now then return end
      cell.start, cell.ends, cell.used = start, ends, 0
    end
    if at >= cell.start then cell.used = cell.used + units end
  end,
  refund = function(cell, _, units, at)
    if now < cell.ends and at >= cell.start then cell.used = math.max(0, cell.used - units) end
  end,
  expiry = function(cell) return cell.used == 0 and 0 or cell.ends end,
} end

-- Leases, by rising end.
local LEASE = '>Hc0dd'

local function leases_used(cell)
  local used = 0
  for _, lease in ipairs(cell.leases) do
    if lease.ends > now then used = used + lease.units end
  end
  return used
end

makers.concurrency = function() return {
  open = function(cell) cell.leases = {} end,
  unpack = function(cell)
    cell.leases = {}
    local at = 1
    while at <= #cell.body do
      local lease = {}
      lease.name, lease.units, lease.ends, at = struct.unpack(LEASE, cell.body, at)
      cell.leases[#cell.leases + 1] = lease
    end
  end,
  pack = function(cell)
    local parts = {}
    for i, lease in ipairs(cell.leases) do parts[i] = struct.pack(LEASE, #lease.name, lease.name, lease.units, lease.ends) end
    return table.concat(parts)
  end,
  capacity = limit_of,
  room = function(cell, rule) return math.max(0, rule.limit - leases_used(cell)) end,
  fits_at = function(cell, rule, units)
    local used, fits = leases_used(cell), now
    for _, lease in ipairs(cell.leases) do
      if lease.ends > now then
        if used + units <= rule.limit then break end
        used, fits = used - lease.units, lease.ends
      end
    end
    return fits
  end,
  charge = function(cell, rule, units, at, name)
    local alive, given = {}, { name = name or '', units = units, ends = at + rule.lease }
    local function hold(lease)
      if lease.ends > now then alive[#alive + 1] = lease end
    end
    for _, lease in ipairs(cell.leases) do
      if given and lease.ends > given.ends then
        hold(given)
        given = nil
      end
      hold(lease)
    end
    if given then hold(given) end
    cell.leases = alive
  end,
  refund = function(cell, _, _, _, name)
    for i = #cell.leases, 1, -1 do
      if cell.leases[i].name == name then
        table.remove(cell.leases, i)
        return
      end
    end
  end,
  expiry = function(cell)
    local last = cell.leases[#cell.leases]
    return last and last.ends or 0
  end,
} end
