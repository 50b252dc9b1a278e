--[[
  Opens a partition: writes down what it is when it is new, and says what it is. A user who may not run all that
  the scripts run is refused here, and not in the middle of a batch.

  KEYS[1] what the partition is, as in apply.lua
  KEYS[2] slots, as in apply.lua

  ARGV[1] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[2] number of partitions
  ARGV[3] number of buckets, should it be new
  ARGV[4] 1 where a partition without data is closed, and left as it is; else nothing

  Output: number of partitions, number of buckets, in how many ms a sweep is due or -1
]]
--- @include "clock"

-- All commands of the scripts that change and read counters; relays bring scripts of their own.
local COMMANDS = {
  'BITFIELD', 'BITFIELD_RO', 'DEL', 'EXISTS', 'GET', 'HDEL', 'HGET', 'HGETALL', 'HINCRBY', 'HMGET', 'HSET', 'LINDEX',
  'LINSERT', 'LLEN', 'LPOP', 'LPUSH', 'LRANGE', 'LSET', 'LTRIM', 'MGET', 'PEXPIRE', 'PFADD', 'PFCOUNT', 'PFMERGE', 'RENAME',
  'RPUSH', 'SET', 'SETRANGE', 'STRLEN', 'TIME', 'UNLINK', 'XADD', 'ZADD', 'ZCARD', 'ZCOUNT', 'ZRANGE',
  'ZREM', 'ZREMRANGEBYRANK', 'ZSCORE',
}

-- Those that the user may not run; none where the server, older than 7.0, cannot tell.
local function forbidden()
  local found = {}
  for _, command in ipairs(redis.acl_check_cmd and COMMANDS or {}) do
    if not redis.acl_check_cmd(command, KEYS[1], KEYS[1], KEYS[1]) then found[#found + 1] = string.lower(command) end
  end
  return found
end

local lacking = forbidden()
if #lacking > 0 then return redis.error_reply('NOPERM this user may not run: ' .. table.concat(lacking, ' ')) end

local meta = redis.call('HMGET', KEYS[1], 'p', 'b', 'r', 'o', 'd')
local now, raw, offset = read_clock(ARGV[1], meta[3], meta[4])
if not meta[1] and ARGV[4] == '1' then return { tonumber(ARGV[2]), tonumber(ARGV[3]), -1 } end
if not meta[1] then
  local slots = int(math.floor(redis.call('STRLEN', KEYS[2]) / 4))
  redis.call('HSET', KEYS[1], 'p', ARGV[2], 'b', ARGV[3], 'r', int(raw), 'o', int(offset), 'e', int(raw), 'n', slots, 'c', slots)
  return { tonumber(ARGV[2]), tonumber(ARGV[3]), -1 }
end
return { tonumber(meta[1]), tonumber(meta[2]), meta[5] and math.max(0, tonumber(meta[5]) - now) or -1 }
