/** Changes that are kept for processes that lag behind; one that lags more loads everything. */
export const KEPT_CHANGES = 250;

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
export const OPENING = `
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
