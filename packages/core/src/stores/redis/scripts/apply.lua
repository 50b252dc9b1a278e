--[[
  Applies a sealed batch, once, in its place in the sequence of its source.

  Steps:
  1. refuse when the data has another number of partitions, or buckets, than the sender thinks, or when the
     partition is closed: there are no data, and those of the ledger are to be restored first;
  2. by the sequence rule, answer what is remembered, or say how far behind this replica is;
  3. read the clock and write it back: the first write, so that a server that takes none fails here;
  4. apply the operations in their order. None can fail the others, and nothing raises an error from here on;
  5. remember the results and the place in the sequence, for the last WINDOW batches, and tell the outbox.

  KEYS[1] what the partition is (hash): p partitions, b buckets, r and o its clock, d when the first bucket
          has something to sweep, e the epoch of its slots, n and c how many slots are used and there are, g
          when the first of the young sources came
  KEYS[2] buckets by when their first counter expires (sorted set)
  KEYS[3] the young sources (hash), fields of a letter and the source: l its last seq, 0…7 its remembered
          answers, k the newest edition in which a batch was applied: 0 where there is none
  KEYS[4] the old sources, the same: what had its last batch before the young ones began
  KEYS[5] slots: the values of plain counts (string of 32-bit integers)
  KEYS[6] slots that are free again (list)
  KEYS[7…] of each operation in turn that has any: a plain add with its key its bucket, any other `keys` of them
  KEYS[last], where ARGV[12] is there: the outbox (stream), which gets one record of the batch

  ARGV[1] seq
  ARGV[2] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[3] number of buckets the sender computed with
  ARGV[4] number of partitions
  ARGV[5] the epoch of the slots the sender knows, or nothing when it names none
  ARGV[6] the source
  ARGV[7] the operations that are more than a plain add, as JSON (see encode.ts), or nothing
  ARGV[8] MessagePack array, of each plain add whose slot is known two strings: "#slot" and amount
  ARGV[9] MessagePack array, of each plain add with its key two strings: key and amount
  ARGV[10] a letter for each operation: s its slot is known, k it comes with its key, o it is another; or
          nothing when all are s
  ARGV[11] the edition of what the sender knows of slots, or a newer one when it sends the batch again (slots.ts)
  ARGV[12] where there is an outbox: MessagePack array, of each plain add whose slot is known key and amount
  ARGV[13] where a partition without data is closed: 1

  Output:
    MessagePack {atMs, values, notes}, each note {index, value, delta, code | false, expiry | false,
    replayed + 2 × repaired, of a take or peek its verdict (actions.lua)}; empty when it is no longer remembered
    or an array of that, in how many ms a sweep is due or -1, the epoch, and of each k its slot or -1
    or the last seq that was applied: the replica is behind
    or an array of 1 and the number of partitions the data has, of 2 and its number of buckets, of 3 and the
    epoch when the sender's slots are no longer right, of 4 and 0 when one cannot hold its sum, of 5 and 0 when
    the partition is closed. Nothing but the clock was changed then.
]]
local MAX = 9007199254740991
local MAX_SLOT = 2147483647
local SHORT_SLOTS = 131072
local SLOTS = KEYS[5]
local SLOT_KNOWN, WITH_KEY = string.byte('sk', 1, 2)
local WINDOW = 8
-- After this time the young sources become the old ones, and the old ones are forgotten.
local SOURCE_RETENTION = 86400000

--- @include "clock"
--- @include "slots"
--- @include "outbox"

-- A hash of ours. A foreign value in its place is taken away: the account of it is lost, as in a flush.
local function read_hash(key, ...)
  local fields = redis.pcall('HMGET', key, ...)
  if not fields.err then return fields end
  redis.call('DEL', key)
  return redis.call('HMGET', key, ...)
end

local meta = read_hash(KEYS[1], 'p', 'b', 'r', 'o', 'd', 'e', 'n', 'c', 'g')
if meta[1] and meta[1] ~= ARGV[4] then return { 1, tonumber(meta[1]) } end
if meta[2] and meta[2] ~= ARGV[3] then return { 2, tonumber(meta[2]) } end
if ARGV[13] and not meta[1] then return { 5, 0 } end

local now, raw, offset = read_clock(ARGV[2], meta[3], meta[4])
local due = tonumber(meta[5])
local epoch, used, there = meta[6], tonumber(meta[7]), tonumber(meta[8])
if not meta[1] then
  local length = redis.pcall('STRLEN', SLOTS)
  there = type(length) == 'number' and math.floor(length / 4) or 0
  epoch, used = int(raw), there
end
local function write_meta()
  redis.call('HSET', KEYS[1], 'r', int(raw), 'o', int(offset), 'p', ARGV[4], 'b', ARGV[3], 'e', epoch, 'n', int(used), 'c', int(there))
end
if ARGV[5] ~= '' and ARGV[5] ~= epoch then
  if not meta[1] then write_meta() end
  return { 3, tonumber(epoch) }
end

local seq = tonumber(ARGV[1])
local slot = int(seq % WINDOW)
local name = ARGV[6]
local source = read_hash(KEYS[3], 'l' .. name, slot .. name, 'k' .. name)
local is_old = false
if not source[1] then
  source = read_hash(KEYS[4], 'l' .. name, slot .. name, 'k' .. name)
  is_old = source[1]
end
local last = tonumber(source[1]) or 0
if seq <= last then return seq > last - WINDOW and source[2] or '' end
if seq > last + 1 then return last end
local edition, newest_edition = tonumber(ARGV[11]), tonumber(source[3]) or 0
if ARGV[5] ~= '' and edition ~= newest_edition then return { 3, tonumber(epoch) } end

if meta[1] then
  redis.call('HSET', KEYS[1], 'r', int(raw), 'o', int(offset))
else
  write_meta()
end

-- Adds to slots that are known come first, all at once: no other operation of the batch is on their keys.
local sums, fault = add_to_slots(SLOTS, cmsgpack.unpack(ARGV[8]), 1)
if not sums then
  -- With a foreign value in place of the slots, each operation is refused by itself when it comes with its key.
  return fault and not string.find(fault.err, 'WRONGTYPE', 1, true) and fault or { 4, 0 }
end

local slots_changed = false
local first_epoch = epoch

-- A slot for a new counter. A short string is made anew to grow, because Redis leaves one that it grows by
-- itself as much room again, up to a megabyte. A long one would hold the server up by being copied.
local function new_slot()
  local free = redis.pcall('LPOP', KEYS[6])
  if type(free) == 'string' then return free end
  if used >= there then
    there = math.max(256, math.ceil(there * 1.125))
    if there > SHORT_SLOTS then
      redis.call('SETRANGE', SLOTS, int(4 * there - 1), '\0')
    else
      local old = redis.call('GET', SLOTS) or ''
      redis.call('SET', SLOTS, old .. string.rep('\0', 4 * there - #old))
    end
  end
  used = used + 1
  slots_changed = true
  return int(used - 1)
end

-- Everything that plain adds do without is made when the first operation needs it.
local function other_operations()
  local kinds = {}
  local given = ARGV[7] ~= '' and cjson.decode(ARGV[7]) or {}

  local function in_range(value)
    return value <= MAX and value >= -MAX
  end

  local function keep(k, expiry)
    redis.call('PEXPIRE', KEYS[k], int(math.max(expiry - now, 0) + GRACE))
  end

  local function free_slot(slot)
    redis.call('BITFIELD', SLOTS, 'SET', 'i32', '#' .. slot, '0')
    redis.pcall('RPUSH', KEYS[6], slot)
    epoch = int(math.max(raw, tonumber(epoch) + 1))
    slots_changed = true
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
  --- @include "subject"
  --- @include "meters"
  --- @include "limits"
  --- @include "actions"
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
    local foreign = string.find(text, 'WRONGTYPE', 1, true) or string.find(text, 'corrupt', 1, true) or string.find(text, 'too short', 1, true)
    return { value = 0, delta = 0, code = foreign and 'DATA_CORRUPT' or 'INTERNAL' }
  end
  return apply, given
end

local apply, given
local values, notes = {}, {}
local k, next_given = 6, 0

-- What the outbox is told: what totals, of counts that do not expire, are more or less by.
local entries = ARGV[12] and cmsgpack.unpack(ARGV[12])

local function tell(key, delta)
  if not entries then return end
  entries[#entries + 1] = key
  entries[#entries + 1] = delta
end

local function apply_other(index, op)
  local result = apply(op, k)
  values[index] = result.value
  local total = result.total or 0
  if total ~= 0 then tell(op.key, total) end
  if result.delta == op.delta and not (result.code or result.expires or result.replayed or result.verdict) then return end
  notes[#notes + 1] = {
    index - 1, result.value, result.delta, result.code or false, result.expires or false,
    (result.replayed and 1 or 0) + (result.repaired and 2 or 0), result.verdict,
  }
end

-- A plain add with its key, where that is its own: its counter is in a slot, or is none yet.
local function add_by_key(bucket, key, delta)
  local held = redis.call('HGET', bucket, key)
  if not held then
    local value = tonumber(delta)
    if value > MAX_SLOT or value < -MAX_SLOT then return nil end
    local slot = new_slot()
    redis.call('BITFIELD', SLOTS, 'SET', 'i32', '#' .. slot, delta)
    redis.call('HSET', bucket, key, slot)
    return value, slot
  end
  if string.find(held, ':', 1, true) then return nil end
  local value = redis.call('BITFIELD', SLOTS, 'OVERFLOW', 'FAIL', 'INCRBY', 'i32', '#' .. held, delta)[1]
  return value, held
end

local learned = {}
local keyed = cmsgpack.unpack(ARGV[9])
local next_sum, next_keyed = 0, 0

local function apply_keyed(index)
  local key, delta = keyed[next_keyed + 1], keyed[next_keyed + 2]
  next_keyed = next_keyed + 2
  local ok, value, slot = pcall(add_by_key, KEYS[k], key, delta)
  learned[#learned + 1] = ok and value and tonumber(slot) or -1
  if ok and value then
    values[index] = value
    tell(key, tonumber(delta))
  else
    -- The counter expires, outgrows its slot, or is none of ours.
    if not apply then apply, given = other_operations() end
    apply_other(index, { kind = 'count', key = key, delta = tonumber(delta) })
  end
end

if ARGV[10] == '' then values = sums end
for index = 1, #ARGV[10] do
  local letter = string.byte(ARGV[10], index)
  if letter == SLOT_KNOWN then
    next_sum = next_sum + 1
    values[index] = sums[next_sum]
  else
    k = k + 1
    if letter == WITH_KEY then
      apply_keyed(index)
    else
      if not apply then apply, given = other_operations() end
      next_given = next_given + 1
      local op = given[next_given]
      apply_other(index, op)
      k = k + op.keys - 1
    end
  end
end
if slots_changed then redis.call('HSET', KEYS[1], 'e', epoch, 'n', int(used), 'c', int(there)) end

local answer = cmsgpack.pack({ now, values, notes })

-- A source that was among the old ones becomes a young one again, with the answers that are remembered.
if is_old then
  local fields = { 'k' .. name }
  for place = 0, WINDOW - 1 do fields[#fields + 1] = int(place) .. name end
  for place, held in ipairs(redis.call('HMGET', KEYS[4], unpack(fields))) do
    if held then redis.call('HSET', KEYS[3], fields[place], held) end
  end
  redis.call('HDEL', KEYS[4], 'l' .. name, unpack(fields))
end
redis.call('HSET', KEYS[3], 'l' .. name, ARGV[1], slot .. name, answer)
if edition > newest_edition then redis.call('HSET', KEYS[3], 'k' .. name, int(edition)) end
if entries then write_outbox(KEYS[#KEYS], name, seq, now, cmsgpack.pack(entries)) end

-- However far the clock has jumped, those who had a batch since the last turn are among the old ones.
local began = tonumber(meta[9])
if not began or now - began >= SOURCE_RETENTION then
  if began then
    -- RENAME alone would free the old ones at once, which holds the server up: 20,000 of them for 80 ms.
    redis.call('UNLINK', KEYS[4])
    redis.call('RENAME', KEYS[3], KEYS[4])
  end
  redis.call('HSET', KEYS[1], 'g', int(now))
end
if not due and #learned == 0 then return answer end
local reply = { answer, due and math.max(0, due - now) or -1, tonumber(epoch) }
-- A slot that was learned before others were set free may be one of them.
if epoch == first_epoch then
  for i = 1, #learned do reply[i + 3] = learned[i] end
end
return reply
