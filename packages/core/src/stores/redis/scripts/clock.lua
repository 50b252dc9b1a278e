-- The partition's clock, read once: TIME, or `raw` where a test gives it. When that was set back, time goes
-- on from where it was, at its pace: `before` is the reading of last time, `offset` what was made good.
local function read_clock(raw, before, offset)
  raw = tonumber(raw)
  if not raw then
    local time = redis.call('TIME')
    raw = time[1] * 1000 + math.floor(time[2] / 1000)
  end
  before, offset = tonumber(before) or raw, tonumber(offset) or 0
  if raw < before then offset = offset + before - raw end
  return raw + offset, raw, offset
end

-- A number as Redis is told it: all digits, whatever its size.
local function int(number)
  return string.format('%.0f', number)
end

-- Redis drops a key so long after its time is over by the partition's clock, which alone decides.
local GRACE = 120000
