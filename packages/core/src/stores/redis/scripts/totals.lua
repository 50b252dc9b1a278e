--[[
  Reads the totals of some buckets: what counts come to that do not expire. It changes nothing.

  KEYS[1] what the partition is, as in apply.lua
  KEYS[2] slots, as in apply.lua
  KEYS[3…] buckets

  ARGV[1] number of buckets the sender computed with
  ARGV[2] the totals from which on it is enough

  Output: MessagePack array: how many of the buckets were read, and of each total key and value
    or an array of 2 and the number of buckets the data has
]]
local MOST_ADDRESSES = 2000

local buckets = redis.call('HGET', KEYS[1], 'b')
if buckets and buckets ~= ARGV[1] then return { 2, tonumber(buckets) } end

local answer = { 0 }
-- Slots that are to be read, and where in the answer their values belong.
local addresses, places = {}, {}

local function read_slots()
  for first = 1, #addresses, MOST_ADDRESSES do
    local last = math.min(first + MOST_ADDRESSES, #addresses + 1) - 1
    local command = {}
    for i = first, last do
      command[#command + 1], command[#command + 2], command[#command + 3] = 'GET', 'i32', addresses[i]
    end
    local values = redis.pcall('BITFIELD_RO', KEYS[2], unpack(command))
    for i = first, last do answer[places[i]] = values.err and 0 or values[i - first + 1] end
  end
end

local function read_bucket(bucket)
  local fields = redis.pcall('HGETALL', bucket)
  for i = 1, #fields, 2 do
    local value, expiry = string.match(fields[i + 1], '^(-?%d+):(%d*)$')
    local slot = not value and string.match(fields[i + 1], '^%d+$')
    if slot or expiry == '' then
      answer[#answer + 1], answer[#answer + 2] = fields[i], tonumber(value) or 0
      if slot then addresses[#addresses + 1], places[#places + 1] = '#' .. slot, #answer end
    end
  end
end

for k = 3, #KEYS do
  if (#answer - 1) / 2 >= tonumber(ARGV[2]) then break end
  read_bucket(KEYS[k])
  answer[1] = answer[1] + 1
end
read_slots()
return cmsgpack.pack(answer)
