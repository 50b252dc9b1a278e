--[[
  Takes records away that were delivered: all up to one, if that is still there.

  A server that lost its newest records in a failover may give their ids to others, which nobody has delivered.
  Where the last record that was delivered stands, so do all before it: then, and only then, they are removed.

  KEYS[1] outbox

  ARGV[1] id of the last record
  ARGV[2] its bytes

  Output: 1, or 0 when it is not there: nothing was removed
]]
local entry = redis.call('XRANGE', KEYS[1], ARGV[1], ARGV[1])[1]
if not entry or entry[2][2] ~= ARGV[2] then return 0 end
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
redis.call('XDEL', KEYS[1], ARGV[1])
return 1
