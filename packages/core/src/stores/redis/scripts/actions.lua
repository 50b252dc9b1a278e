-- `limits`: all that can be done with the limits of a subject, KEYS[k] (`subject.lua`), as `operations/limits/index.ts`
-- specifies it. Needs `limits`. The first operation of a batch that has some terms brings them along; others with the
-- same name that operation by `like`.
--
-- A verdict: when it was decided; of what was granted rule, limit, remaining and reset, or false; of what was denied
-- the same and when to try again, or false. A time that never comes is false, and so is the rule of a block.
local FOR_EVER = 9007199254740991

local function standing(opened, rules)
  local i, room = tightest(opened, rules)
  return { rules[i].name, rules[i].limit, room, resets_at(opened[i], rules[i]) }
end

local function denial(opened, rules, units)
  local i, room, retries = slowest(opened, rules, units)
  return { rules[i].name, rules[i].limit, room, resets_at(opened[i], rules[i]), retries }
end

local function blocked_verdict(subject)
  local ends = subject.blocked ~= FOR_EVER and subject.blocked
  return { now, false, { false, 0, 0, ends, ends } }
end

local actions = {}

function actions.take(subject, op, terms)
  if subject.blocked > now then return { value = op.delta, delta = 0, verdict = blocked_verdict(subject) } end
  local opened = open_all(subject, terms.rules)
  local granted = grant(subject, opened, terms, op.delta, op.member)
  local verdict = {
    now, granted > 0 and standing(opened, terms.rules), granted < op.delta and denial(opened, terms.rules, terms.cost),
  }
  return { value = op.delta, delta = granted, verdict = verdict }, granted > 0
end

function actions.peek(subject, op, terms)
  if subject.blocked > now then return { value = op.delta, delta = 0, verdict = blocked_verdict(subject) } end
  local opened = open_all(subject, terms.rules)
  local _, room = tightest(opened, terms.rules)
  local fits = room >= terms.cost
  local verdict = { now, fits and standing(opened, terms.rules), not fits and denial(opened, terms.rules, terms.cost) }
  return { value = op.delta, delta = 0, verdict = verdict }
end

local function unsaid(op)
  return { value = op.delta, delta = op.delta }
end

function actions.penalize(subject, op, terms)
  local opened = open_all(subject, terms.rules)
  charge_all(subject, opened, terms.rules, op.delta, math.min(terms.taken or op.at or now, now), op.member)
  return unsaid(op), true
end

function actions.refund(subject, op, terms)
  local at = math.min(terms.taken or op.at or now, now)
  for i, cell in ipairs(open_all(subject, terms.rules)) do
    if not cell.is_new then
      cell.meter.refund(cell, terms.rules[i], op.delta, at, op.member)
      changed(subject, cell, terms.rules[i])
    end
  end
  return unsaid(op), true
end

function actions.reset(subject, op, terms)
  for _, cell in ipairs(subject.cells) do
    local named = #terms.rules == 0
    for _, rule in ipairs(terms.rules) do named = named or rule.id == cell.id end
    if named then cell.expiry = 0 end
  end
  return unsaid(op), true
end

function actions.block(subject, op, terms)
  subject.blocked = terms.block and math.min(op.at or now, now) + terms.block or FOR_EVER
  return unsaid(op), true
end

function actions.unblock(subject, op)
  subject.blocked = 0
  return unsaid(op), true
end

local function limits_fault(op, terms)
  local asks = terms.action == 'take' or terms.action == 'peek'
  if asks and #terms.rules == 0 then return 'INVALID_ARGUMENT' end
  if op.delta < 0 or math.fmod(op.delta, terms.cost) ~= 0 then return op.delta ~= 0 and 'INVALID_AMOUNT' end
end

kinds.limits.apply = function(op, k)
  local terms = prepare(op.terms or given[op.like].terms)
  local code = limits_fault(op, terms)
  if code then return { value = 0, delta = 0, code = code } end
  if op.delta == 0 then return unsaid(op) end
  local asks = terms.action == 'take' or terms.action == 'peek'
  if asks and not op.at and is_outside(terms.rules) then return { value = now, delta = 0, code = 'OUT_OF_CALENDAR' } end
  -- What was granted before is charged without asking.
  local action = op.at and terms.action == 'take' and 'penalize' or terms.action
  local subject = load_subject(redis.call('GET', KEYS[k]))
  local result, is_changed = actions[action](subject, op, terms)
  if is_changed then save_subject(KEYS[k], subject) end
  return result
end
