-- Appends to the outbox what a batch has changed: MessagePack [1, source, seq, now, [key, delta, key, delta …]].
-- `entries` is that last array, packed. A foreign value in place of the outbox is taken away, as everywhere.
local function write_outbox(outbox, source, seq, now, entries)
  local record = '\149\1' .. cmsgpack.pack(source, seq, now) .. entries
  local id = redis.pcall('XADD', outbox, '*', 'r', record)
  if type(id) == 'string' then return end
  redis.call('DEL', outbox)
  redis.call('XADD', outbox, '*', 'r', record)
end
