-- `sketch`: Redis' own HyperLogLogs, one for each slot of the ring in which anything was seen and one for
-- their union. KEYS[k] is a hash: `n` the newest slice, `s` the newest in which a member was seen, and a
-- field for each slot in use; KEYS[k + 1] is the union; KEYS[k + 2 + slot] the slots. Needs `slice_of` of
-- `window`.
local function load_sketch(k)
  local fields = redis.call('HGETALL', KEYS[k])
  if #fields == 0 then return nil end
  local state = { slots = {} }
  for i = 1, #fields, 2 do
    if fields[i] == 'n' then state.newest = tonumber(fields[i + 1])
    elseif fields[i] == 's' then state.seen = tonumber(fields[i + 1])
    else state.slots[tonumber(fields[i])] = true end
  end
  return state
end

-- Takes the slots out of `state` whose slices have left the ring at `slice`; returns their numbers.
local function leave(op, state, slice)
  local size = op.slices + 1
  local left = {}
  for passed = math.max(state.newest, slice - size) + 1, slice do
    local slot = math.fmod(passed, size)
    if state.slots[slot] then
      state.slots[slot] = nil
      left[#left + 1] = slot
    end
  end
  state.newest = math.max(state.newest, slice)
  return left
end

local function keys_in_use(k, state)
  local keys = {}
  for slot in pairs(state.slots) do keys[#keys + 1] = KEYS[k + 2 + slot] end
  return keys
end

local function end_of(op, slice)
  return math.ceil(((slice + op.slices + 1) * op.window) / op.slices)
end

local function advance_sketch(op, k, state, slice)
  local left = leave(op, state, slice)
  if #left == 0 then return end
  redis.call('DEL', KEYS[k + 1])
  for _, slot in ipairs(left) do
    redis.call('DEL', KEYS[k + 2 + slot])
    redis.call('HDEL', KEYS[k], int(slot))
  end
  redis.call('HSET', KEYS[k], 'n', int(state.newest))
  local rest = keys_in_use(k, state)
  if #rest == 0 then return end
  redis.call('PFMERGE', KEYS[k + 1], unpack(rest))
  keep(k + 1, end_of(op, state.seen))
end

local function see(op, k, state, slice)
  local slot = math.fmod(slice, op.slices + 1)
  redis.call('PFADD', KEYS[k + 2 + slot], op.member)
  local changed = redis.call('PFADD', KEYS[k + 1], op.member)
  if state.slots[slot] and slice <= state.seen then return changed end
  state.slots[slot] = true
  state.seen = math.max(state.seen, slice)
  redis.call('HSET', KEYS[k], 'n', int(state.newest), 's', int(state.seen), int(slot), '1')
  keep(k, end_of(op, state.seen))
  keep(k + 1, end_of(op, state.seen))
  keep(k + 2 + slot, end_of(op, slice))
  return changed
end

kinds.sketch = {
  read = function(op, k)
    local state = load_sketch(k)
    if not state then return nil end
    local left = leave(op, state, slice_of(op, now))
    local rest = keys_in_use(k, state)
    if #rest == 0 then return nil end
    return #left == 0 and redis.call('PFCOUNT', KEYS[k + 1]) or redis.call('PFCOUNT', unpack(rest))
  end,
  apply = function(op, k)
    local given = load_sketch(k)
    local state = given or { newest = 0, seen = 0, slots = {} }
    advance_sketch(op, k, state, slice_of(op, now))
    local value = given and redis.call('PFCOUNT', KEYS[k + 1]) or 0
    local slice = slice_of(op, op.at or now)
    if op.delta == 0 or slice < state.newest - op.slices then return { value = value, delta = 0 } end
    if not op.member or op.delta ~= 1 then return { value = value, delta = 0, code = 'INVALID_ARGUMENT' } end
    advance_sketch(op, k, state, slice)
    local changed = see(op, k, state, slice)
    return { value = redis.call('PFCOUNT', KEYS[k + 1]), delta = changed }
  end,
}
