-- A subject of limits: a string. First until when Redis keeps it and until when the subject is blocked, both by the
-- partition's clock; then of each rule that has counted anything when that is over, its id and what its meter keeps
-- (`meters.lua`), each with its length. Every number is a double, so that most changes keep the length and are written
-- in place: SETRANGE leaves the key's time to live as it is, and takes a third of the time of a SET with one.
local SUBJECT_MARK = 1
local SUBJECT_HEAD, SUBJECT_CELL = '>Bdd', '>dHc0Ic0'

-- Redis keeps a subject for GRACE beyond its time, and at least for this when it was last written in place.
local LEAST_GRACE = GRACE / 2

-- What its meter keeps is taken out of `body` once there is one. Made in one piece: a table that grows costs more.
local function new_cell(id, expiry, body)
  return { id = id, expiry = expiry, body = body, meter = false, is_new = false }
end

local function load_subject(text)
  if not text then return { kept = 0, blocked = 0, cells = {}, length = false, is_changed = false } end
  local mark, kept, blocked, at = struct.unpack(SUBJECT_HEAD, text)
  if mark ~= SUBJECT_MARK then error('corrupt') end
  local cells = {}
  while at <= #text do
    local expiry, id, body, next_at = struct.unpack(SUBJECT_CELL, text, at)
    cells[#cells + 1] = new_cell(id, expiry, body)
    at = next_at
  end
  return { kept = kept, blocked = blocked, cells = cells, length = #text, is_changed = false }
end

-- What is written of the cells that still count, and when nothing of it counts any more.
local function pack_subject(subject)
  local last, parts = subject.blocked, { '' }
  for _, cell in ipairs(subject.cells) do
    if cell.expiry > now then
      last = math.max(last, cell.expiry)
      local body = cell.meter and cell.meter.pack(cell) or cell.body
      parts[#parts + 1] = struct.pack(SUBJECT_CELL, cell.expiry, #cell.id, cell.id, #body, body)
    end
  end
  return parts, last
end

-- Writes a subject that was loaded from `key`.
local function save_subject(key, subject)
  local parts, last = pack_subject(subject)
  if last <= now then
    if subject.length then redis.call('DEL', key) end
    return
  end
  local in_place = last + LEAST_GRACE <= subject.kept
  if not in_place then subject.kept = last + GRACE end
  parts[1] = struct.pack(SUBJECT_HEAD, SUBJECT_MARK, subject.kept, subject.blocked)
  local text = table.concat(parts)
  if in_place and #text >= subject.length then
    redis.call('SETRANGE', key, '0', text)
  else
    redis.call('SET', key, text, 'PX', int(subject.kept - now))
  end
end

kinds.limits = {
  -- How many rules count anything.
  read = function(_, k)
    local subject = load_subject(redis.call('GET', KEYS[k]))
    local live = 0
    for _, cell in ipairs(subject.cells) do
      if cell.expiry > now then live = live + 1 end
    end
    return (live > 0 or subject.blocked > now) and live or nil
  end,
}
