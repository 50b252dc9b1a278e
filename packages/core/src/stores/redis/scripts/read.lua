--[[
  Reads counters of one partition.

  KEYS[1] what the partition is, as in apply.lua
  KEYS[2] slots, as in apply.lua
  KEYS[3…] of each query in turn, `keys` of them

  ARGV[1] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[2] number of buckets the sender computed with
  ARGV[3] 1 where a partition without data is closed: see apply.lua; else nothing
  ARGV[4…] of each query in turn: the key of a count that is asked for, or nothing and then the query as JSON

  Output: MessagePack, of each query in turn two: value and ms left to live; a value and false when it does not
  expire; false and false when there is no live counter, or something that is none
    or an array of 2 and the number of buckets the data has, or of 5 and 0 when the partition is closed
]]
--- @include "clock"

local meta = redis.call('HMGET', KEYS[1], 'p', 'b', 'r', 'o')
if meta[2] and meta[2] ~= ARGV[2] then return { 2, tonumber(meta[2]) } end
if ARGV[3] == '1' and not meta[1] then return { 5, 0 } end
local now, raw, offset = read_clock(ARGV[1], meta[3], meta[4])
-- A reading that was seen binds the clock. A server that takes no writes still answers.
if meta[3] and meta[3] ~= int(raw) then redis.pcall('HSET', KEYS[1], 'r', int(raw), 'o', int(offset)) end

local kinds = {}
local SLOTS = KEYS[2]
--- @include "count"
--- @include "log"
--- @include "window"
--- @include "unique"
--- @include "sketch"
--- @include "subject"

local function read(op, k)
  local ok, value, expiry = pcall(kinds[op.kind].read, op, k)
  if not ok then return false, false end
  return value or false, value and expiry and expiry - now or false
end

local answer = {}
local k, j = 3, 4
while j <= #ARGV do
  local op
  if ARGV[j] ~= '' then
    op = { kind = 'count', key = ARGV[j], keys = 1 }
  else
    j = j + 1
    op = cjson.decode(ARGV[j])
  end
  local value, left = read(op, k)
  answer[#answer + 1] = value
  answer[#answer + 1] = left
  k = k + op.keys
  j = j + 1
end
return cmsgpack.pack(answer)
