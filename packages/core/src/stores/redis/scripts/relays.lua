--[[
  Writes down that a relay is alive, or leaves, and tells who is.

  KEYS[1] relays by until when they are taken to be alive (sorted set)

  ARGV[1] the relay
  ARGV[2] for how many ms, or 0 when it leaves

  Output: the relays that are alive, in the order of their names
]]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
if ARGV[2] ~= '0' then redis.call('ZADD', KEYS[1], string.format('%.0f', now + tonumber(ARGV[2])), ARGV[1]) end
local names = redis.call('ZRANGE', KEYS[1], 0, -1)
table.sort(names)
return names
