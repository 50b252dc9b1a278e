--[[
  A step of restoring a partition without data from the ledger. As long as it is not opened, it has no number of
  partitions, and neither batches nor reads find any data. A step is refused when another has begun to restore the
  partition meanwhile; it writes values, and adds nothing, so it can be done again.

  KEYS[1…6] as in apply.lua
  KEYS[7…] begin: all buckets; load: the hashes that are written to

  ARGV[1] who restores: a token that nobody else has
  ARGV[2] begin: takes away what another has loaded and not opened
          load: writes values of slots and fields of hashes
          open: from now on the partition has data
  ARGV[3…] load: the first byte of the slots that is written, or nothing; the bytes; of each hash how many values follow, and
             these: fields and values in turn
           open: number of partitions, number of buckets, used slots, the epoch of the slots, and the earliest time in ms
             that the partition's clock may show

  Output: begin: the server's time in ms, or 0 when the partition has data; else 1, or 0 when the step is refused
]]
--- @include "clock"

local META, SLOTS = KEYS[1], KEYS[5]
local UNLINK_STEP = 4000
local token, step = ARGV[1], ARGV[2]
local meta = redis.call('HMGET', META, 'p', 'w')

if step == 'begin' then
  if meta[1] then return 0 end
  for from = 1, #KEYS, UNLINK_STEP do
    redis.call('UNLINK', unpack(KEYS, from, math.min(from + UNLINK_STEP - 1, #KEYS)))
  end
  redis.call('HSET', META, 'w', token)
  local _, raw = read_clock('')
  return raw
end

if meta[1] or meta[2] ~= token then return 0 end

if step == 'load' then
  if ARGV[3] ~= '' then redis.call('SETRANGE', SLOTS, ARGV[3], ARGV[4]) end
  local at = 5
  for k = 7, #KEYS do
    local count = tonumber(ARGV[at])
    redis.call('HSET', KEYS[k], unpack(ARGV, at + 1, at + count))
    at = at + 1 + count
  end
  return 1
end

local _, raw = read_clock('')
local offset = math.max(0, tonumber(ARGV[7]) - raw)
redis.call('HSET', META, 'r', int(raw), 'o', int(offset), 'p', ARGV[3], 'b', ARGV[4], 'n', ARGV[5],
  'c', int(math.floor(redis.call('STRLEN', SLOTS) / 4)), 'e', ARGV[6], 'g', int(raw + offset))
redis.call('HDEL', META, 'w')
return 1
