import { COMMON, DECISION, KEPT_CHANGES, OPENING } from './script-parts.ts';

/** Arguments 5 to 7: how bans are, then operations: a name and what it takes. */
export const APPLY = `${COMMON}${OPENING}${DECISION}
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
