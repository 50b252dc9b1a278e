-- `count`: one field of a bucket, "value" or "value:expiry". So HINCRBY adds to it as long as it does not
-- expire, and fails without changing anything as soon as it does.
local function parse_count(text)
  if not text then return nil end
  local value, expiry = string.match(text, '^(-?%d+):?(%d*)$')
  if not value then error('corrupt') end
  return tonumber(value), tonumber(expiry)
end

local function live_count(op, k, at)
  local value, expiry = parse_count(redis.call('HGET', KEYS[k], op.key))
  if value and expiry and expiry <= at then return nil end
  return value, expiry
end

local function write_count(op, k, value, expiry, held)
  if not expiry then
    redis.call('HSET', KEYS[k], op.key, int(value))
    return
  end
  if expiry ~= held then expire_bucket(op.bucket, expiry) end
  redis.call('HSET', KEYS[k], op.key, int(value) .. ':' .. int(expiry))
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

local function add_effect(op, k, value, held)
  local ends = op.ends
  local mortal = op.repaired and value and not held
  local gone = ends and ends <= now and not mortal
  if gone or is_read(op, op.delta) then return unchanged_count(value, held) end
  if ends and held and held > ends then return unchanged_count(value, held) end
  local earlier = ends and held and held < ends
  local sum = (earlier and 0 or value or 0) + op.delta
  if not in_range(sum) then return unchanged_count(value, held, 'OUT_OF_RANGE') end
  local expiry = ends or held
  write_count(op, k, sum, expiry, held)
  return { value = sum, delta = op.delta, expires = expiry }
end

kinds.count = {
  read = function(op, k)
    return live_count(op, k, now)
  end,
  apply = function(op, k)
    local value, held = live_count(op, k, math.max(now, op.at or now))
    if op.at then return add_effect(op, k, value, held) end
    local before = value or 0
    local delta = bounded(op, before)
    if is_read(op, delta) then return unchanged_count(value, held) end
    local sum = before + delta
    if not in_range(sum) or (op.reach and not in_range(math.abs(before) + op.reach)) then
      return unchanged_count(value, held, 'OUT_OF_RANGE')
    end
    local expiry = held or (op.ttl and math.min(now + op.ttl, MAX))
    write_count(op, k, sum, expiry, held)
    return { value = sum, delta = delta, expires = expiry, repaired = value and expiry and not held }
  end,
}
