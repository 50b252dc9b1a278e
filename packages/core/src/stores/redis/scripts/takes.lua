--[[
  Applies sealed batches that consist of takes of limits without request ids or leases, each once, in its place in the
  sequence of its source: what apply.lua does for one batch of any kind, done for several in little time.

  Steps, for each batch:
  1. leave it to apply.lua when the partition is new, the source is not among the young ones, or there is anything but
     a subject under a key of it;
  2. by the sequence rule, answer what is remembered, or say how far behind this replica is;
  3. read the clock and write it back: the first write, so that a server that takes none fails here;
  4. decide the takes in their order; none can fail, and each subject is read and written once;
  5. remember the results and the place in the sequence.

  KEYS, of each batch in turn: what its partition is, its sources and, where there is one, its outbox, as in apply.lua;
  then of each take its subject

  ARGV[1] the clock's raw reading in ms, or nothing: then it is TIME
  ARGV[2i] of batch i: MessagePack array of its source, seq, how many KEYS come before the subjects, and of each take
  which terms, and units asked
  ARGV[2i + 1] of batch i: its terms (limits.lua), as a JSON array

  Output, of each batch: the last seq that was applied: the replica is behind; or nil: it is left to apply.lua, nothing
  was changed then; or MessagePack {atMs, ruled, {}, rules}, or whatever is remembered: see apply.lua.
  `rules` has name and limit of each rule in turn. `ruled` has of each take: units asked and granted; when any were
  granted the rule, remaining and reset; when not all were granted the rule or 0 for a block, remaining, reset, and when
  to try again. Times are ms from atMs on, or false for never.
]]
local WINDOW = 8
local HEAD = 3
local MGET_STEP = 4000
local FOR_EVER = 9007199254740991

--- @include "clock"
local now
local kinds = {}
--- @include "subject"
--- @include "meters"
--- @include "limits"
--- @include "outbox"

local NO_ENTRIES = cmsgpack.pack({})

local given = ARGV[1]
if given == '' then
  local time = redis.call('TIME')
  given = time[1] * 1000 + math.floor(time[2] / 1000)
end

-- The subjects under the keys from `first` to `last`, by key; nothing when there is anything else under one.
local function load_subjects(first, last)
  local subjects, missing = {}, {}
  for from = first, last, MGET_STEP do
    local texts = redis.call('MGET', unpack(KEYS, from, math.min(from + MGET_STEP - 1, last)))
    for i = 1, #texts do
      local key = KEYS[from + i - 1]
      if not texts[i] then missing[#missing + 1] = key end
      if not subjects[key] then
        local ok, subject = pcall(load_subject, texts[i])
        if not ok then return nil end
        subjects[key] = subject
      end
    end
  end
  for from = 1, #missing, MGET_STEP do
    if redis.call('EXISTS', unpack(missing, from, math.min(from + MGET_STEP - 1, #missing))) > 0 then return nil end
  end
  return subjects
end

-- Terms with the place of their first rule in the list of all rules, and that list.
local function load_terms(json)
  local all, rules, place = cjson.decode(json), {}, 0
  for _, terms in ipairs(all) do
    prepare(terms)
    terms.place = place
    for _, rule in ipairs(terms.rules) do
      rules[2 * place + 1], rules[2 * place + 2] = rule.name, rule.limit
      place = place + 1
    end
  end
  return all, rules
end

local function ms_until(at)
  return at and at - now
end

-- Decides one take, and writes what came of it into `ruled` from place n + 1 on. Returns the last place.
local function rule_on(subject, terms, asked, ruled, n)
  ruled[n + 1] = asked
  if subject.blocked > now then
    local left = subject.blocked ~= FOR_EVER and subject.blocked - now
    ruled[n + 2], ruled[n + 3], ruled[n + 4], ruled[n + 5], ruled[n + 6] = 0, 0, 0, left, left
    return n + 6
  end
  local rules = terms.rules
  local opened = open_all(subject, rules)
  local granted = grant(subject, opened, terms, asked)
  ruled[n + 2] = granted
  n = n + 2
  if granted > 0 then
    subject.is_changed = true
    local i, room = tightest(opened, rules)
    ruled[n + 1], ruled[n + 2], ruled[n + 3] = terms.place + i, room, ms_until(resets_at(opened[i], rules[i]))
    n = n + 3
  end
  if granted == asked then return n end
  local i, room, retries = slowest(opened, rules, terms.cost)
  ruled[n + 1], ruled[n + 2] = terms.place + i, room
  ruled[n + 3], ruled[n + 4] = ms_until(resets_at(opened[i], rules[i])), ms_until(retries)
  return n + 4
end

local function decide(takes, terms, subjects, first)
  local ruled, n = {}, 0
  for i = HEAD + 1, #takes, 2 do
    local key = KEYS[first + (i - HEAD - 1) / 2]
    n = rule_on(subjects[key], terms[takes[i]], takes[i + 1], ruled, n)
  end
  for key, subject in pairs(subjects) do
    if subject.is_changed then save_subject(key, subject) end
  end
  return ruled
end

local function apply(k, takes, json)
  local meta, sources, name, seq, first = KEYS[k], KEYS[k + 1], takes[1], takes[2], k + takes[3]
  local held = redis.pcall('HMGET', meta, 'p', 'r', 'o')
  if held.err or not held[1] then return false end
  local place = int(seq % WINDOW) .. name
  -- A foreign value in place of the sources is for apply.lua to take away: an error would fail all partitions.
  local last = redis.pcall('HGET', sources, 'l' .. name)
  if type(last) ~= 'string' then return false end
  last = tonumber(last)
  if seq <= last then return seq > last - WINDOW and redis.call('HGET', sources, place) or '' end
  if seq > last + 1 then return last end
  local count = (#takes - HEAD) / 2
  local raw, offset
  now, raw, offset = read_clock(given, held[2], held[3])
  local subjects = load_subjects(first, first + count - 1)
  if not subjects then return false end
  redis.call('HSET', meta, 'r', int(raw), 'o', int(offset))
  local terms, rules = load_terms(json)
  local answer = cmsgpack.pack({ now, decide(takes, terms, subjects, first), {}, rules })
  redis.call('HSET', sources, 'l' .. name, int(seq), place, answer)
  -- What is taken is not kept in the ledger, but that the batch was applied is.
  if takes[3] == 3 then write_outbox(KEYS[k + 2], name, seq, now, NO_ENTRIES) end
  return answer
end

local replies = {}
local k = 1
for i = 1, (#ARGV - 1) / 2 do
  local takes = cmsgpack.unpack(ARGV[2 * i])
  replies[i] = apply(k, takes, ARGV[2 * i + 1])
  k = k + takes[3] + (#takes - HEAD) / 2
end
return replies
