/**
 * What Redis does in one step, in Lua. Keys: the state of the service (hash), records of keys by digest (hash), their
 * usage by digest (hash), recent changes (list), quantities that were set by petId (hash), the entries that they were
 * set in (list). Times are in seconds as doubles, written with all their digits, so that the sums are those of JavaScript.
 */
export type ScriptName = 'join' | 'decide' | 'apply' | 'load';

/** Names of the keys, in the order that the scripts expect. */
export const KEY_NAMES = ['state', 'records', 'usage', 'changes', 'quantities', 'base'] as const;

/** Changes that are kept for processes that lag behind; one that lags more loads everything. */
const KEPT_CHANGES = 250;

/** Names of the keys, and time. */
export const COMMON = `
local STATE, RECORDS, USAGE, CHANGES, QUANTITIES, BASE = unpack(KEYS)

local function exact(number)
  return string.format('%.17g', number)
end

local function realTime()
  local time = redis.call('TIME')
  return tonumber(time[1]) + tonumber(time[2]) / 1000000
end
`;

/** Arguments 1 to 4: the epoch and the greatest sequence number that the process knows, its generation and version. */
const OPENING = `
local function open()
  local fields = redis.call('HMGET', STATE, 'epoch', 'lost', 'resumeAt', 'sequence', 'latest', 'offset',
    'generation', 'version', 'keysVersion')
  if fields[1] ~= ARGV[1] then
    return nil, 'other'
  end
  local sequence = tonumber(fields[4])
  if sequence < tonumber(ARGV[2]) then
    redis.call('HSET', STATE, 'lost', '1')
    return nil, 'lost'
  end
  if fields[2] then
    return nil, 'lost'
  end
  local real = realTime()
  if real < tonumber(fields[3]) then
    return nil, 'resuming'
  end
  local offset = tonumber(fields[6])
  return {
    sequence = sequence + 1,
    offset = offset,
    now = math.max(tonumber(fields[5]), real + offset),
    generation = tonumber(fields[7]),
    version = tonumber(fields[8]),
    keysVersion = tonumber(fields[9])
  }
end

local function reply(state)
  local isLoaded, changes = '1', {}
  local missing = state.version - tonumber(ARGV[4])
  if state.generation ~= tonumber(ARGV[3]) or missing > ${KEPT_CHANGES} then
    isLoaded = ''
  elseif missing > 0 then
    changes = redis.call('LRANGE', CHANGES, -missing, -1)
  end
  return { 'ok', exact(state.now), exact(state.sequence), exact(state.generation), exact(state.version),
    exact(state.keysVersion), isLoaded, changes }
end
`;

/**
 * Decides as the limiter and the bans in memory do. How bans are stands in three arguments: refused requests before one
 * or '', its seconds, '1' if extended.
 */
export const DECISION = `
local MINUTE, DAY = 60, 86400
local UNUSED = '0 0 0 0 0 0'

local function remaining(now, limit, used, windowEnd)
  return now >= windowEnd and limit or limit - used
end

local function count(now, used, windowEnd, seconds)
  if now >= windowEnd then
    return 1, now + seconds
  end
  return used + 1, windowEnd
end

local function decide(now, digest, ban)
  local record = redis.call('HGET', RECORDS, digest)
  local perMinute, perDay = string.match(record or '', '^%a+ (%d+) (%d+)$')
  if not perMinute then
    return '', '', ''
  end
  local before = redis.call('HGET', USAGE, digest) or UNUSED
  local texts = { string.match(before, '^(%S+) (%S+) (%S+) (%S+) (%S+) (%S+)$') }
  local minuteUsed, minuteEnd = tonumber(texts[1]), tonumber(texts[2])
  local dayUsed, dayEnd = tonumber(texts[3]), tonumber(texts[4])
  local refused, bannedUntil = tonumber(texts[5]), tonumber(texts[6])
  if now < bannedUntil then
    if ban.extended then
      bannedUntil = now + ban.seconds
    end
  elseif remaining(now, tonumber(perMinute), minuteUsed, minuteEnd) > 0
    and remaining(now, tonumber(perDay), dayUsed, dayEnd) > 0 then
    minuteUsed, minuteEnd = count(now, minuteUsed, minuteEnd, MINUTE)
    dayUsed, dayEnd = count(now, dayUsed, dayEnd, DAY)
    refused = 0
  else
    refused = refused + 1
    if ban.afterRefused and refused > ban.afterRefused then
      refused = 0
      bannedUntil = now + ban.seconds
    end
  end
  local after = table.concat({ exact(minuteUsed), exact(minuteEnd), exact(dayUsed), exact(dayEnd), exact(refused),
    exact(bannedUntil) }, ' ')
  redis.call('HSET', USAGE, digest, after)
  return '1', before, after
end

local function banOf(first)
  return {
    afterRefused = tonumber(ARGV[first]),
    seconds = tonumber(ARGV[first + 1]),
    extended = ARGV[first + 2] == '1'
  }
end
`;

/** Arguments 5 to 7: how bans are, then operations: a name and what it takes. */
const APPLY = `${COMMON}${OPENING}${DECISION}
local state, reason = open()
if not state then
  return { reason }
end
local at = 8

local function take()
  at = at + 1
  return ARGV[at - 1]
end

local function takeAll(key, command)
  local words = tonumber(take())
  redis.call('UNLINK', key)
  for _ = 1, words do
    if command == 'HSET' then
      redis.call('HSET', key, take(), take())
    else
      redis.call('RPUSH', key, take())
    end
  end
end

local function change(entry)
  redis.call('RPUSH', CHANGES, entry)
  redis.call('LTRIM', CHANGES, ${-KEPT_CHANGES}, -1)
  state.version = state.version + 1
end

local function beginGeneration()
  redis.call('UNLINK', CHANGES)
  state.generation = state.generation + 1
  state.version = 0
end

local function changeUsage(digest, alter)
  local usage = {}
  for text in string.gmatch(redis.call('HGET', USAGE, digest) or UNUSED, '%S+') do
    usage[#usage + 1] = tonumber(text)
  end
  alter(usage)
  for index, number in ipairs(usage) do
    usage[index] = exact(number)
  end
  redis.call('HSET', USAGE, digest, table.concat(usage, ' '))
end

local function giveBack(digest)
  changeUsage(digest, function(usage)
    usage[1] = usage[1] - 1
    usage[3] = usage[3] - 1
  end)
end

local function putRecord(digest, record)
  redis.call('HSET', RECORDS, digest, record)
  state.keysVersion = state.keysVersion + 1
  change('record ' .. digest .. ' ' .. record)
end

local operations = {
  quantity = function()
    local generation, petId, quantity = tonumber(take()), take(), take()
    -- An update that new entries have overtaken counts as made just before them.
    if generation == state.generation then
      redis.call('HSET', QUANTITIES, petId, quantity)
      change('quantity ' .. petId .. ' ' .. quantity)
    end
  end,
  issue = function()
    putRecord(take(), take())
  end,
  revoke = function()
    local digest = take()
    local record = redis.call('HGET', RECORDS, digest)
    if record and string.sub(record, 1, 1) ~= '-' then
      putRecord(digest, '-' .. record)
    end
  end,
  earlier = function()
    local digest, requests = take(), tonumber(take())
    changeUsage(digest, function(usage)
      usage[3] = requests
      usage[4] = state.now + DAY
    end)
  end,
  giveBack = function()
    giveBack(take())
  end,
  undo = function()
    local digest, before, after, wasAccepted = take(), take(), take(), take() == '1'
    if redis.call('HGET', USAGE, digest) == after then
      redis.call('HSET', USAGE, digest, before)
    elseif wasAccepted then
      giveBack(digest)
    end
  end,
  decide = function()
    decide(state.now, take(), banOf(5))
  end,
  records = function()
    takeAll(RECORDS, 'HSET')
    redis.call('HINCRBY', STATE, 'resets', 1)
    state.keysVersion = state.keysVersion + 1
    beginGeneration()
  end,
  usage = function()
    redis.call('UNLINK', USAGE)
  end,
  entries = function()
    redis.call('HSET', STATE, 'base', take())
    takeAll(BASE, 'RPUSH')
    redis.call('UNLINK', QUANTITIES)
    beginGeneration()
  end,
  advance = function()
    local seconds = tonumber(take())
    state.offset = state.offset + seconds
    state.now = state.now + seconds
  end
}

while at <= #ARGV do
  operations[take()]()
end
redis.call('HSET', STATE, 'sequence', exact(state.sequence), 'latest', exact(state.now), 'offset',
  exact(state.offset), 'generation', exact(state.generation), 'version', exact(state.version), 'keysVersion',
  exact(state.keysVersion))
return reply(state)
`;

/** After a restart of Redis nothing is decided for so long: every process that knew more than it has can say so. */
const QUARANTINE_SECONDS = 1;

/**
 * Arguments: the epoch that the process knows or '', its greatest sequence number, the run of Redis, a new epoch, what
 * the service is at start, '1' to begin anew what was lost, the time that the process knows, then digests and records.
 */
const JOIN = `${COMMON}
local known, sequence, run, candidate, configuration, recovers = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
recovers = recovers == '1'
local real = realTime()

local function begin()
  local latest, offset, generation, resets, keysVersion = unpack(
    redis.call('HMGET', STATE, 'latest', 'offset', 'generation', 'resets', 'keysVersion'))
  redis.call('UNLINK', RECORDS, USAGE, CHANGES, QUANTITIES, BASE)
  redis.call('HDEL', STATE, 'lost')
  for index = 8, #ARGV, 2 do
    redis.call('HSET', RECORDS, ARGV[index], ARGV[index + 1])
  end
  redis.call('HSET', STATE, 'epoch', candidate, 'configuration', configuration, 'run', run, 'resumeAt', '0',
    'sequence', '0', 'latest', latest or '0',
    'offset', exact(math.max(tonumber(offset or '0'), tonumber(ARGV[7]) - real)),
    'generation', exact(tonumber(generation or '0') + 1), 'version', '0',
    'keysVersion', exact(tonumber(keysVersion or '0') + 1), 'base', 'seed',
    'resets', exact(tonumber(resets or '0') + 1), 'recovered', recovers and '1' or '')
end

local state = {}
local function read()
  local fields = redis.call('HMGET', STATE, 'epoch', 'configuration', 'sequence', 'lost', 'run', 'resumeAt', 'recovered')
  state.epoch, state.configuration, state.sequence, state.lost, state.run, state.resumeAt, state.recovered =
    unpack(fields)
end

read()
if state.epoch and state.configuration ~= configuration then
  return { 'configuration' }
end
if recovers or not state.epoch and known == '' then
  begin()
  read()
elseif not state.epoch then
  return { 'lost' }
elseif known == state.epoch and tonumber(state.sequence) < tonumber(sequence) then
  redis.call('HSET', STATE, 'lost', '1')
  return { 'lost' }
elseif state.lost or known ~= '' and known ~= state.epoch and state.recovered ~= '1' then
  return { 'lost' }
end
if state.run ~= run then
  state.resumeAt = exact(real + ${QUARANTINE_SECONDS})
  redis.call('HSET', STATE, 'run', run, 'resumeAt', state.resumeAt)
end
return { 'ok', state.epoch, state.sequence, exact(math.max(0, tonumber(state.resumeAt) - real)) }
`;

/** Of a script that tells what is new before anything else. */
const BEGINNING = `local state, reason = open()
if not state then
  return { reason }
end
redis.call('HSET', STATE, 'sequence', exact(state.sequence), 'latest', exact(state.now))
local result = reply(state)
`;

/** Argument 5: a digest or ''; arguments 6 to 8: how bans are. */
const DECIDE = `${COMMON}${OPENING}${DECISION}
${BEGINNING}if ARGV[5] ~= '' then
  result[9], result[10], result[11] = decide(state.now, ARGV[5], banOf(6))
end
return result
`;

/** Argument 5: the entries that the process has, which are left out then. */
const LOAD = `${COMMON}${OPENING}
${BEGINNING}local base, resets = unpack(redis.call('HMGET', STATE, 'base', 'resets'))
result[9], result[10] = base, resets
result[11] = base == ARGV[5] and {} or redis.call('LRANGE', BASE, 0, -1)
result[12] = redis.call('HGETALL', RECORDS)
result[13] = redis.call('HGETALL', QUANTITIES)
return result
`;

export const SCRIPTS: Readonly<Record<ScriptName, string>> = {
  join: JOIN,
  decide: DECIDE,
  apply: APPLY,
  load: LOAD,
};
