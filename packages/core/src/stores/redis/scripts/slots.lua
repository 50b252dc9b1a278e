-- Adds to slots of a partition, all of them or none. `adds` has, from `from` on, "#slot" and amount in turn, as
-- strings. Returns the sums; or nil when a slot cannot hold its sum, or nil and the server's error.

-- Adds in one command: four arguments each, of which Lua hands over 8,000.
local BITFIELD_STEP = 1000

-- Takes back, last first, what was added for `sums`: the first of `adds`.
local function take_back(slots, adds, from, sums)
  for i = #sums, 1, -1 do
    local place = from + 2 * (i - 1)
    if sums[i] then redis.call('BITFIELD', slots, 'INCRBY', 'i32', adds[place], int(-tonumber(adds[place + 1]))) end
  end
end

local function add_some(slots, adds, first, last)
  local command, n = { 'OVERFLOW', 'FAIL' }, 2
  for i = first, last, 2 do
    command[n + 1], command[n + 2], command[n + 3], command[n + 4] = 'INCRBY', 'i32', adds[i], adds[i + 1]
    n = n + 4
  end
  return redis.pcall('BITFIELD', slots, unpack(command, 1, n))
end

local function add_to_slots(slots, adds, from)
  local sums, count, fault = {}, 0, nil
  for first = from, #adds, 2 * BITFIELD_STEP do
    local part = add_some(slots, adds, first, math.min(first + 2 * BITFIELD_STEP, #adds + 1) - 1)
    fault = part.err and part
    for i = 1, #part do
      count = count + 1
      sums[count] = part[i]
      fault = fault or not part[i]
    end
    if fault then break end
  end
  if not fault then return sums end
  take_back(slots, adds, from, sums)
  return nil, type(fault) == 'table' and fault or nil
end
