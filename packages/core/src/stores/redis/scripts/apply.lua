--[[
  Applies a sealed batch, once, in its place in the sequence of its source.

  Steps:
  1. refuse when the data has another number of partitions, or buckets, than the sender thinks;
  2. by the sequence rule, answer what is remembered, or say how far behind this replica is;
  3. read the clock and write it back: the first write, so that a server that takes none fails here;
  4. apply the operations in their order. None can fail the others, and nothing raises an error from here on;
  5. remember the results and the place in the sequence, for the last WINDOW batches.

  KEYS[1] what the partition is (hash): p partitions, b buckets, r and o its clock, d when the first bucket
          has something to sweep
  KEYS[2] buckets by when their first counter expires (sorted set)
  KEYS[3] sources (hash), five kinds of fields, each a letter and the source: l its last seq, t when it was
          seen, k when KEYS[4] was told, 0…7 its remembered answers
  KEYS[4] sources by when they were seen, or up to a minute before (sorted set)
  KEYS[5…] of each operation in turn: a plain add its bucket; any other `keys` of them

  ARGV[1] seq
  ARGV[2] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[3] number of buckets the sender computed with
  ARGV[4] number of partitions
  ARGV[5] the source
  ARGV[6] the operations that are more than a plain add, as JSON (see encode.ts), or nothing
  ARGV[7] MessagePack array, of each operation in turn two strings: a plain add its key and amount; any other two
          empty ones

  Output:
    MessagePack {atMs, values, notes}, each note {index, value, delta, code | false, expiry | false,
    replayed + 2 × repaired}; empty when it is no longer remembered
    or an array of that and in how many ms a sweep is due
    or the last seq that was applied: the replica is behind
    or an array of 1 and the number of partitions the data has, or of 2 and its number of buckets
]]
local MAX = 9007199254740991
local WINDOW = 8
local SOURCE_RETENTION = 86400000
-- How late the sorted set of sources may be told.
local SEEN_STEP = 60000
-- The most sources forgotten in one go.
local FORGET_STEP = 100
-- Redis drops a key so long after its time is over by the partition's clock, which alone decides.
local GRACE = 120000

--- @include "clock"

-- A hash of ours. A foreign value in its place is taken away: the account of it is lost, as in a flush.
local function read_hash(key, ...)
  local fields = redis.pcall('HMGET', key, ...)
  if not fields.err then return fields end
  redis.call('DEL', key)
  return redis.call('HMGET', key, ...)
end

local meta = read_hash(KEYS[1], 'p', 'b', 'r', 'o', 'd')
if meta[1] and meta[1] ~= ARGV[4] then return { 1, tonumber(meta[1]) } end
if meta[2] and meta[2] ~= ARGV[3] then return { 2, tonumber(meta[2]) } end

local now, raw, offset = read_clock(ARGV[2], meta[3], meta[4])
local due = tonumber(meta[5])
local seq = tonumber(ARGV[1])
local slot = int(seq % WINDOW)
local name = ARGV[5]
local source = read_hash(KEYS[3], 'l' .. name, 'k' .. name, slot .. name)
local last = tonumber(source[1]) or 0
if seq <= last then return seq > last - WINDOW and source[3] or '' end
if seq > last + 1 then return last end

if meta[1] then
  redis.call('HSET', KEYS[1], 'r', int(raw), 'o', int(offset))
else
  redis.call('HSET', KEYS[1], 'r', int(raw), 'o', int(offset), 'p', ARGV[4], 'b', ARGV[3])
end

-- Forgets sources that have been silent too long. Only a new one makes this necessary.
local function forget_sources()
  local over = now - SOURCE_RETENTION
  for _, old in ipairs(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', int(over), 'LIMIT', 0, FORGET_STEP)) do
    local seen = tonumber(redis.call('HGET', KEYS[3], 't' .. old)) or 0
    if seen > over then
      redis.call('ZADD', KEYS[4], int(seen), old)
    else
      redis.call('ZREM', KEYS[4], old)
      local fields = { 'l' .. old, 't' .. old, 'k' .. old }
      for answer = 0, WINDOW - 1 do fields[#fields + 1] = int(answer) .. old end
      redis.call('HDEL', KEYS[3], unpack(fields))
    end
  end
end
if not source[1] then pcall(forget_sources) end

-- Everything that plain adds do without is made when the first operation needs it.
local function other_operations()
  local kinds = {}
  local given = ARGV[6] ~= '' and cjson.decode(ARGV[6]) or {}

  local function in_range(value)
    return value <= MAX and value >= -MAX
  end

  local function keep(k, expiry)
    redis.call('PEXPIRE', KEYS[k], int(math.max(expiry - now, 0) + GRACE))
  end

  local function expire_bucket(bucket, expiry)
    local added = redis.pcall('ZADD', KEYS[2], 'LT', int(expiry), int(bucket))
    if type(added) == 'table' then
      redis.call('DEL', KEYS[2])
      redis.call('ZADD', KEYS[2], int(expiry), int(bucket))
    end
    if due and due <= expiry then return end
    due = expiry
    redis.call('HSET', KEYS[1], 'd', int(due))
  end

  --- @include "count"
  --- @include "log"
  --- @include "window"
  --- @include "unique"
  --- @include "sketch"
  --- @include "request"

  local function decide(op, k)
    if op.code then return { value = op.kind and kinds[op.kind].read(op, k) or 0, delta = 0, code = op.code } end
    if op.request then return answer_request(op, k) end
    return kinds[op.kind].apply(op, k)
  end

  -- A foreign value under one of our keys is the fault of that operation alone.
  local function apply(op, k)
    local ok, result = pcall(decide, op, k)
    if ok then return result end
    local text = type(result) == 'table' and result.err or tostring(result)
    local foreign = string.find(text, 'WRONGTYPE', 1, true) or string.find(text, 'corrupt', 1, true)
    return { value = 0, delta = 0, code = foreign and 'DATA_CORRUPT' or 'INTERNAL' }
  end
  return apply, given
end

local apply, given
local values, notes = {}, {}
local k, next_given = 4, 0

local function apply_other(index, op)
  local result = apply(op, k)
  values[index] = result.value
  if result.delta == op.delta and not (result.code or result.expires or result.replayed) then return end
  notes[#notes + 1] = {
    index - 1, result.value, result.delta, result.code or false, result.expires or false,
    (result.replayed and 1 or 0) + (result.repaired and 2 or 0),
  }
end

local adds = cmsgpack.unpack(ARGV[7])
for index = 1, #adds / 2 do
  local key, delta = adds[2 * index - 1], adds[2 * index]
  k = k + 1
  if key == '' then
    if not apply then apply, given = other_operations() end
    next_given = next_given + 1
    local op = given[next_given]
    apply_other(index, op)
    k = k + op.keys - 1
  else
    local value = redis.pcall('HINCRBY', KEYS[k], key, delta)
    if type(value) == 'number' and value <= MAX and value >= -MAX then
      values[index] = value
    else
      -- The counter expires, would leave the range, or is none of ours.
      if type(value) == 'number' then redis.call('HINCRBY', KEYS[k], key, int(-tonumber(delta))) end
      if not apply then apply, given = other_operations() end
      apply_other(index, { kind = 'count', key = key, delta = tonumber(delta) })
    end
  end
end

local answer = cmsgpack.pack({ now, values, notes })
local told = tonumber(source[2])
if told and now - told < SEEN_STEP then
  redis.call('HSET', KEYS[3], 'l' .. name, ARGV[1], 't' .. name, int(now), slot .. name, answer)
else
  redis.pcall('ZADD', KEYS[4], int(now), name)
  redis.call('HSET', KEYS[3], 'l' .. name, ARGV[1], 't' .. name, int(now), slot .. name, answer, 'k' .. name, int(now))
end
if due then return { answer, due - now } end
return answer
