--[[
  Drops expired counters of some buckets.

  Steps: of each bucket drop what has expired and note when the next of it does; then write down when the
  first bucket of all has something to drop.

  KEYS[1] what the partition is, as in apply.lua
  KEYS[2] buckets by when their first counter expires
  KEYS[3…] the buckets

  ARGV[1] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[2…] the buckets' numbers

  Output: in how many ms a sweep is due, or -1
]]
--- @include "clock"

local meta = redis.call('HMGET', KEYS[1], 'r', 'o')
local now = read_clock(ARGV[1], meta[1], meta[2])

-- When the first of the counters left expires, if any does.
local function sweep(bucket)
  local fields = redis.call('HGETALL', bucket)
  local first
  for i = 1, #fields, 2 do
    local expiry = tonumber(string.match(fields[i + 1], '^-?%d+:(%d+)$') or nil)
    if expiry and expiry <= now then
      redis.call('HDEL', bucket, fields[i])
    elseif expiry and (not first or expiry < first) then
      first = expiry
    end
  end
  return first
end

for i = 3, #KEYS do
  local ok, first = pcall(sweep, KEYS[i])
  if ok and first then
    redis.call('ZADD', KEYS[2], int(first), ARGV[i - 1])
  else
    redis.call('ZREM', KEYS[2], ARGV[i - 1])
  end
end
local next_due = redis.call('ZRANGE', KEYS[2], 0, 0, 'WITHSCORES')[2]
if not next_due then
  redis.call('HDEL', KEYS[1], 'd')
  return -1
end
redis.call('HSET', KEYS[1], 'd', int(tonumber(next_due)))
return math.max(0, tonumber(next_due) - now)
