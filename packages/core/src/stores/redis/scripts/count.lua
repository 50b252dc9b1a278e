-- `count`: a field of a bucket, and often a slot. The field is the number of the slot that holds the value;
-- or "value:expiry" of a counter that expires; or "value:" of one that has outgrown a slot.
local function read_count(op, k)
  local held = redis.call('HGET', KEYS[k], op.key)
  if not held then return nil end
  local value, expiry = string.match(held, '^(-?%d+):(%d*)$')
  if value then return tonumber(value), tonumber(expiry), nil end
  if not string.find(held, '^%d+$') then error('corrupt') end
  return redis.call('BITFIELD_RO', SLOTS, 'GET', 'i32', '#' .. held)[1], nil, held
end

-- Value, expiry and slot of a counter that is live at `at`.
local function live_count(op, k, at)
  local value, expiry, slot = read_count(op, k)
  if value and expiry and expiry <= at then return nil end
  return value, expiry, slot
end

local function fits_slot(value)
  return value <= MAX_SLOT and value >= -MAX_SLOT
end

-- `held` is the expiry, `slot` the slot of the counter until now.
local function write_count(op, k, value, expiry, held, slot)
  if not expiry and (slot or op.fresh) and fits_slot(value) then
    local given = slot or new_slot()
    redis.call('BITFIELD', SLOTS, 'SET', 'i32', '#' .. given, int(value))
    if not slot then redis.call('HSET', KEYS[k], op.key, given) end
    return
  end
  if expiry and expiry ~= held then expire_bucket(op.bucket, expiry) end
  redis.call('HSET', KEYS[k], op.key, int(value) .. ':' .. (expiry and int(expiry) or ''))
  if slot then free_slot(slot) end
end

-- An amount of 0 is a read, unless it is the sum of amounts that were adds.
local function is_read(op, delta)
  return delta == 0 and not op.reach
end

local function bounded(op, before)
  if op.delta < 0 and op.min then return math.max(op.delta, math.min(op.min, before) - before) end
  if op.delta > 0 and op.max then return math.min(op.delta, math.max(op.max, before) - before) end
  return op.delta
end

local function unchanged_count(value, held, code)
  return { value = value or 0, delta = 0, expires = held, code = code }
end

-- What the total of a counter is more by: one that expires is no total, and is none any more when it begins to.
local function change_of_total(sum, expiry, before, held)
  return (expiry and 0 or sum) - (held and 0 or before)
end

-- When a counter ends that is created now: `edges` are pairs of a time and the end of what is created before it.
local function end_of(op)
  for i = 1, #(op.edges or ''), 2 do
    if now < op.edges[i] then return op.edges[i + 1] end
  end
  return math.min(now + op.ttl, MAX)
end

local function add_effect(op, k, value, held, slot)
  local ends = op.ends
  local mortal = op.repaired and value and not held
  local gone = ends and ends <= now and not mortal
  if gone or is_read(op, op.delta) then return unchanged_count(value, held) end
  if ends and held and held > ends then return unchanged_count(value, held) end
  local earlier = ends and held and held < ends
  local sum = (earlier and 0 or value or 0) + op.delta
  if not in_range(sum) then return unchanged_count(value, held, 'OUT_OF_RANGE') end
  local expiry = ends or held
  write_count(op, k, sum, expiry, held, slot)
  return { value = sum, delta = op.delta, expires = expiry, total = change_of_total(sum, expiry, value or 0, held) }
end

kinds.count = {
  read = function(op, k)
    return live_count(op, k, now)
  end,
  apply = function(op, k)
    local value, held, slot = live_count(op, k, math.max(now, op.at or now))
    op.fresh = value == nil
    if op.at then return add_effect(op, k, value, held, slot) end
    local before = value or 0
    local delta = bounded(op, before)
    if is_read(op, delta) then return unchanged_count(value, held) end
    local sum = before + delta
    if not in_range(sum) or (op.reach and not in_range(math.abs(before) + op.reach)) then
      return unchanged_count(value, held, 'OUT_OF_RANGE')
    end
    local expiry = held or (op.ttl and end_of(op))
    write_count(op, k, sum, expiry, held, slot)
    local total = change_of_total(sum, expiry, before, held)
    return { value = sum, delta = delta, expires = expiry, repaired = value and expiry and not held, total = total }
  end,
}
