-- `log`: a list. First the total, then one record "ms:amount" for each millisecond in which anything
-- happened, rising. Amounts of one millisecond are one record.
local MAX_LOG_RECORDS = 1000000
local LOG_PIECE = 64

local function parse_record(text)
  local at, amount = string.match(text, '^(-?%d+):(%d+)$')
  if not at then error('corrupt') end
  return tonumber(at), tonumber(amount)
end

-- The total of what still counts, and how many records before it no longer do.
local function load_log(k, cutoff)
  local total = tonumber(redis.call('LINDEX', KEYS[k], 0) or 0)
  local tail = redis.call('LINDEX', KEYS[k], -1)
  local purged = 0
  if not tail or not string.find(tail, ':', 1, true) then return total, 0, nil end
  local newest = parse_record(tail)
  if newest <= cutoff then return 0, redis.call('LLEN', KEYS[k]) - 1, newest end
  while true do
    local piece = redis.call('LRANGE', KEYS[k], 1 + purged, LOG_PIECE + purged)
    for i = 1, #piece do
      local at, amount = parse_record(piece[i])
      if at > cutoff then return total, purged, newest end
      total = total - amount
      purged = purged + 1
    end
  end
end

local function write_total(k, total, purged)
  if purged > 0 then
    redis.call('LTRIM', KEYS[k], 1 + purged, -1)
    redis.call('LPUSH', KEYS[k], int(total))
  elseif redis.call('EXISTS', KEYS[k]) == 0 then
    redis.call('RPUSH', KEYS[k], int(total))
  else
    redis.call('LSET', KEYS[k], 0, int(total))
  end
end

-- Puts a record before newer ones: only effects that come late need it.
local function insert_record(k, at, amount)
  for index = redis.call('LLEN', KEYS[k]) - 1, 1, -1 do
    local text = redis.call('LINDEX', KEYS[k], index)
    local other, counted = parse_record(text)
    if other == at then
      redis.call('LSET', KEYS[k], index, int(at) .. ':' .. int(counted + amount))
      return
    elseif other < at then
      redis.call('LINSERT', KEYS[k], 'AFTER', text, int(at) .. ':' .. int(amount))
      return
    end
  end
  local total = redis.call('LPOP', KEYS[k])
  redis.call('LPUSH', KEYS[k], int(at) .. ':' .. int(amount), total)
end

kinds.log = {
  read = function(op, k)
    local total = load_log(k, now - op.window)
    return total ~= 0 and total or nil
  end,
  apply = function(op, k)
    local at = op.at or now
    local total, purged, newest = load_log(k, now - op.window)
    if op.delta == 0 or at <= now - op.window then return { value = total, delta = 0 } end
    if op.delta < 0 then return { value = total, delta = 0, code = 'INVALID_AMOUNT' } end
    if not in_range(total + op.delta) then return { value = total, delta = 0, code = 'OUT_OF_RANGE' } end
    if newest ~= at and redis.call('LLEN', KEYS[k]) - 1 - purged >= MAX_LOG_RECORDS then
      return { value = total, delta = 0, code = 'STATE_TOO_LARGE' }
    end
    total = total + op.delta
    write_total(k, total, purged)
    if not newest or newest < at then
      redis.call('RPUSH', KEYS[k], int(at) .. ':' .. int(op.delta))
      newest = at
    else
      insert_record(k, at, op.delta)
    end
    keep(k, newest + op.window)
    return { value = total, delta = op.delta }
  end,
}
