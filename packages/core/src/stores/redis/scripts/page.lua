--[[
  Reads the oldest records of an outbox. It changes nothing.

  KEYS[1] outbox
  KEYS[2] what the partition is, as in apply.lua

  ARGV[1] the most records
  ARGV[2] the bytes from which on it is enough

  Output: how many records there are, how old the first is in ms or -1, 1 where the partition has data or else 0, and
  of each record its id and its bytes
]]
local STEP = 8

local reply, bytes, from = { redis.call('XLEN', KEYS[1]), -1, redis.call('HEXISTS', KEYS[2], 'p') }, 0, '-'
while (#reply - 3) / 2 < tonumber(ARGV[1]) and bytes < tonumber(ARGV[2]) do
  local entries = redis.call('XRANGE', KEYS[1], from, '+', 'COUNT', STEP)
  if #entries == 0 then break end
  for _, entry in ipairs(entries) do
    reply[#reply + 1], reply[#reply + 2] = entry[1], entry[2][2]
    bytes = bytes + #entry[2][2]
  end
  from = '(' .. entries[#entries][1]
end
if reply[4] then
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  reply[2] = math.max(0, now - tonumber(string.match(reply[4], '^%d+')))
end
return reply
