import { APPLY } from './script-apply.ts';
import { COMMON, DECISION, OPENING } from './script-parts.ts';

/**
 * What Redis does in one step, in Lua. Keys: the state of the service (hash), records of keys by digest (hash), their
 * usage by digest (hash), recent changes (list), quantities that were set by petId (hash), the entries that they were
 * set in (list). Times are in seconds as doubles, written with all their digits, so that the sums are those of JavaScript.
 */
export type ScriptName = 'join' | 'decide' | 'apply' | 'load';

/** Names of the keys, in the order that the scripts expect. */
export const KEY_NAMES = ['state', 'records', 'usage', 'changes', 'quantities', 'base'] as const;

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
