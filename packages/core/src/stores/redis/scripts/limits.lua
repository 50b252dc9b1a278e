-- One or several rules of one subject: what is open, what is granted, and where the subject stands, as
-- `operations/limits/` specifies it. Needs `meters`.
--
-- Terms: action, cost, rules, and where they have them taken and block, in ms. A rule: name, id, limit, algorithm,
-- and what its meter asks for.
local function prepare(terms)
  if terms.prepared then return terms end
  for _, rule in ipairs(terms.rules) do rule.meter = meter_of(rule.algorithm) end
  terms.prepared = true
  return terms
end

-- The cell of each rule; one that is not there, or counts no more, is a new one, kept from the first change on.
local function open_all(subject, rules)
  local opened = {}
  for i, rule in ipairs(rules) do
    local found
    for _, cell in ipairs(subject.cells) do
      if cell.id == rule.id and cell.expiry > now then found = cell end
    end
    if not found then
      found = new_cell(rule.id, 0, '')
      found.meter, found.is_new = rule.meter, true
      rule.meter.open(found, rule)
    elseif not found.meter then
      rule.meter.unpack(found, rule)
      found.meter = rule.meter
    end
    opened[i] = found
  end
  return opened
end

local function changed(subject, cell, rule)
  cell.expiry = cell.meter.expiry(cell, rule)
  if not cell.is_new then return end
  cell.is_new = false
  subject.cells[#subject.cells + 1] = cell
end

local function charge_all(subject, opened, rules, units, at, lease)
  for i, cell in ipairs(opened) do
    cell.meter.charge(cell, rules[i], units, at, lease)
    changed(subject, cell, rules[i])
  end
end

local function resets_at(cell, rule)
  return cell.meter.capacity(rule) ~= 0 and math.max(now, cell.expiry)
end

-- Which rule has the least room, and how much.
local function tightest(opened, rules)
  local least, room = 1, opened[1].meter.room(opened[1], rules[1])
  for i = 2, #opened do
    local other = opened[i].meter.room(opened[i], rules[i])
    if other < room then least, room = i, other end
  end
  return least, room
end

-- Which rule is to be waited for longest until `units` fit, how much room it has, and until when; false for ever.
local function slowest(opened, rules, units)
  local longest, left, latest
  for i, cell in ipairs(opened) do
    local room = cell.meter.room(cell, rules[i])
    if room < units then
      local fits = cell.meter.capacity(rules[i]) < units and math.huge or cell.meter.fits_at(cell, rules[i], units)
      if not latest or fits > latest then longest, left, latest = i, room, fits end
    end
  end
  return longest, left, latest ~= math.huge and latest
end

-- Charges as much of `asked` as fits under every rule, in portions of the cost. Returns how much that was.
local function grant(subject, opened, terms, asked, lease)
  local _, room = tightest(opened, terms.rules)
  room = math.min(asked, room)
  local granted = room - math.fmod(room, terms.cost)
  if granted > 0 then charge_all(subject, opened, terms.rules, granted, now, lease) end
  return granted
end
