-- `window`: a hash. `n` is the number of the newest slice, `t` the total, and each of the slots, slice number
-- modulo `slices + 1`, the count of its slice; a slot that is not there counts 0.
local function slice_of(op, at)
  return math.floor((at * op.slices) / op.window)
end

local function load_window(k)
  local state = redis.call('HMGET', KEYS[k], 'n', 't')
  return tonumber(state[1] or 0), tonumber(state[2] or 0)
end

-- The slots that slices after `newest` up to `slice` take over; nil when these are all.
local function passed_slots(op, newest, slice)
  local size = op.slices + 1
  if slice - newest >= size then return nil end
  local slots = {}
  for passed = newest + 1, slice do slots[#slots + 1] = int(math.fmod(passed, size)) end
  return slots
end

-- What is left of `total` when the ring is moved on to `slice`.
local function total_at(op, k, state, slice)
  if slice <= state.newest then return state.total end
  local slots = passed_slots(op, state.newest, slice)
  if not slots then return 0 end
  local total = state.total
  for _, count in ipairs(redis.call('HMGET', KEYS[k], unpack(slots))) do total = total - tonumber(count or 0) end
  return total
end

local function clear_slots(op, k, newest, slice)
  if slice <= newest then return end
  local slots = passed_slots(op, newest, slice)
  if slots then redis.call('HDEL', KEYS[k], unpack(slots)) else redis.call('DEL', KEYS[k]) end
end

kinds.window = {
  read = function(op, k)
    local newest, total = load_window(k)
    local value = total_at(op, k, { newest = newest, total = total }, slice_of(op, now))
    return value ~= 0 and value or nil
  end,
  apply = function(op, k)
    local newest, total = load_window(k)
    local state = { newest = newest, total = total }
    local current = math.max(newest, slice_of(op, now))
    local value = total_at(op, k, state, current)
    local slice = slice_of(op, op.at or now)
    if op.delta == 0 or slice < current - op.slices then return { value = value, delta = 0 } end
    if op.delta < 0 then return { value = value, delta = 0, code = 'INVALID_AMOUNT' } end
    if not in_range(value + op.delta) then return { value = value, delta = 0, code = 'OUT_OF_RANGE' } end
    if slice > current then
      current = slice
      value = total_at(op, k, state, current)
    end
    clear_slots(op, k, newest, current)
    redis.call('HINCRBY', KEYS[k], int(math.fmod(slice, op.slices + 1)), int(op.delta))
    redis.call('HSET', KEYS[k], 'n', int(current), 't', int(value + op.delta))
    if current ~= newest then keep(k, math.ceil(((current + op.slices + 1) * op.window) / op.slices)) end
    return { value = value + op.delta, delta = op.delta }
  end,
}
