-- Request ids: a string "value:delta:expiry of the counter or nothing:expiry of the id" under a key of its
-- own, which comes before the keys of the counter; of a take or peek then ":" and its verdict in MessagePack.
local function replayed(text)
  local value, delta, ends, expiry, verdict = string.match(text, '^(-?%d+):(-?%d+):(%d*):(-?%d+):?(.*)$')
  if not value then error('corrupt') end
  local result = { value = tonumber(value), delta = tonumber(delta), expires = tonumber(ends), replayed = true }
  if verdict ~= '' then result.verdict = cmsgpack.unpack(verdict) end
  return result, tonumber(expiry)
end

local function remember(op, k, result)
  local value, delta, ends, verdict = result.value, result.delta, result.expires, result.verdict
  if op.at then
    ends = op.ends
    if op.answered then value, delta, verdict = op.answered.value, op.answered.delta, op.answered.verdict end
  end
  local expiry = (op.at or now) + op.retain
  local text = int(value) .. ':' .. int(delta) .. ':' .. (ends and int(ends) or '') .. ':' .. int(expiry)
  if verdict then text = text .. ':' .. cmsgpack.pack(verdict) end
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
