-- Request ids: a string "value:delta:expiry of the counter or nothing:expiry of the id" under a key of its
-- own, which comes before the keys of the counter.
local function replayed(text)
  local value, delta, ends, expiry = string.match(text, '^(-?%d+):(-?%d+):(%d*):(-?%d+)$')
  if not value then error('corrupt') end
  return { value = tonumber(value), delta = tonumber(delta), expires = tonumber(ends), replayed = true }, tonumber(expiry)
end

local function remember(op, k, result)
  local value, delta, ends = result.value, result.delta, result.expires
  if op.at then
    ends = op.ends
    if op.answered then value, delta = op.answered.value, op.answered.delta end
  end
  local expiry = (op.at or now) + op.retain
  local text = int(value) .. ':' .. int(delta) .. ':' .. (ends and int(ends) or '') .. ':' .. int(expiry)
  redis.call('SET', KEYS[k], text, 'PX', int(math.max(expiry - now, 0) + GRACE))
end

local function answer_request(op, k)
  local known = redis.call('GET', KEYS[k])
  if known then
    local answer, expiry = replayed(known)
    if expiry > math.max(now, op.at or now) then return answer end
  end
  local result = kinds[op.kind].apply(op, k + 1)
  if not result.code then remember(op, k, result) end
  return result
end
