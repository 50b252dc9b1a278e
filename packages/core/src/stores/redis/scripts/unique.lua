-- `unique`: a sorted set of members by when they were last seen. Members whose time is over are left out of
-- every count, and taken away a few at a time, so that no operation waits for a mass of them.
local MAX_MEMBERS = 1000000
local PURGE_STEP = 100

local function live_members(k, cutoff)
  return redis.call('ZCOUNT', KEYS[k], '(' .. int(cutoff), '+inf')
end

kinds.unique = {
  read = function(op, k)
    local value = live_members(k, now - op.window)
    return value ~= 0 and value or nil
  end,
  apply = function(op, k)
    local cutoff = now - op.window
    local at = op.at or now
    local value = live_members(k, cutoff)
    if op.delta == 0 or at <= cutoff then return { value = value, delta = 0 } end
    if not op.member or op.delta ~= 1 then return { value = value, delta = 0, code = 'INVALID_ARGUMENT' } end
    local seen = tonumber(redis.call('ZSCORE', KEYS[k], op.member))
    local known = seen and seen > cutoff
    if value >= MAX_MEMBERS and not known then return { value = value, delta = 0, code = 'STATE_TOO_LARGE' } end
    if not known or seen < at then redis.call('ZADD', KEYS[k], int(at), op.member) end
    local delta = known and 0 or 1
    local over = redis.call('ZCARD', KEYS[k]) - value - delta
    if over > 0 then redis.call('ZREMRANGEBYRANK', KEYS[k], 0, math.min(over, PURGE_STEP) - 1) end
    local last = redis.call('ZRANGE', KEYS[k], -1, -1, 'WITHSCORES')
    keep(k, tonumber(last[2]) + op.window)
    return { value = value + delta, delta = delta }
  end,
}
