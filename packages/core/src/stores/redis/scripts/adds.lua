--[[
  Applies sealed batches that consist of plain adds to slots that are known, each once, in its place in the
  sequence of its source: what apply.lua does for one batch of any kind, done for several in little time.

  Steps, for each batch:
  1. leave it to apply.lua when the slots are no longer right, or the source is not among the young ones;
  2. by the sequence rule, answer what is remembered, or say how far behind this replica is;
  3. leave it to apply.lua when the source knows its slots from another edition;
  4. write the clock back: the first write, as in apply.lua;
  5. add, to all slots or none: left to apply.lua, too, when one cannot hold its sum;
  6. remember the results and the place in the sequence, and tell the outbox.

  KEYS of each batch in turn: what its partition is; sources; slots; and the outbox, where there is one: as in apply.lua

  ARGV[1] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[1 + i] of batch i: MessagePack array of strings: source, seq, epoch, edition, and of each add "#slot" and amount
  ARGV[1 + n + i] of batch i of n, where there is an outbox: MessagePack array, of each add key and amount

  Output, of each batch: what apply.lua answers, without figures; or the last seq that was applied: the replica
  is behind; or nil: it is left to apply.lua. Nothing but the clock was changed then.
]]
local WINDOW = 8
local HEAD = 4

--- @include "clock"
--- @include "slots"
--- @include "outbox"

local given = ARGV[1]
if given == '' then
  local time = redis.call('TIME')
  given = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function apply(meta_key, sources, slots, adds, outbox, entries)
  local name, seq, epoch, edition = adds[1], tonumber(adds[2]), adds[3], adds[4]
  local meta = redis.pcall('HMGET', meta_key, 'e', 'r', 'o')
  if meta.err or meta[1] ~= epoch then return false end
  local place = int(seq % WINDOW) .. name
  -- A foreign value in place of the sources is for apply.lua to take away: an error would fail all partitions.
  local held = redis.pcall('HMGET', sources, 'l' .. name, 'k' .. name)
  if not held[1] then return false end
  local last = tonumber(held[1])
  if seq <= last then return seq > last - WINDOW and redis.call('HGET', sources, place) or '' end
  if seq > last + 1 then return last end
  if (held[2] or '0') ~= edition then return false end
  local now, raw, offset = read_clock(given, meta[2], meta[3])
  if meta[2] ~= int(raw) then redis.call('HSET', meta_key, 'r', int(raw), 'o', int(offset)) end
  local sums, fault = add_to_slots(slots, adds, HEAD + 1)
  if not sums then return fault and not string.find(fault.err, 'WRONGTYPE', 1, true) and fault or false end
  local answer = cmsgpack.pack({ now, sums, {} })
  redis.call('HSET', sources, 'l' .. name, adds[2], place, answer)
  if outbox then write_outbox(outbox, name, seq, now, entries) end
  return answer
end

-- Each batch has as many more KEYS than ARGV, beside the clock, with an outbox or without.
local batches = (#KEYS - #ARGV + 1) / 2
local width = #KEYS / batches
local replies = {}
for i = 1, batches do
  local at = width * (i - 1)
  local outbox = width == 4 and KEYS[at + 4]
  local adds = cmsgpack.unpack(ARGV[1 + i])
  local reply = apply(KEYS[at + 1], KEYS[at + 2], KEYS[at + 3], adds, outbox, ARGV[1 + batches + i])
  if type(reply) == 'table' then return reply end
  replies[i] = reply
end
return replies
