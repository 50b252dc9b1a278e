--[[
  Takes a lease, keeps it, or gives it up.

  KEYS[1] lease

  ARGV[1] who asks: a token that nobody else has
  ARGV[2] for how many ms, or 0 to give it up

  Output: 1 when it is the asker's now, else 0
]]
local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then return 0 end
if ARGV[2] == '0' then
  redis.call('DEL', KEYS[1])
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
