import { COMMON } from './script-parts.ts';

/** After a restart of Redis nothing is decided for so long: every process that knew more than it has can say so. */
const QUARANTINE_SECONDS = 1;

/**
 * Arguments: the epoch that the process knows or '', its greatest sequence number, the run of Redis, a new epoch, what
 * the service is at start, '1' to begin anew what was lost, the time that the process knows, then digests and records.
 */
export const JOIN = `${COMMON}
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
