import { APPLY } from './script-apply.ts';
import { JOIN } from './script-join.ts';
import { COMMON, DECISION, OPENING } from './script-parts.ts';

/**
 * What Redis does in one step, in Lua. Keys: the state of the service (hash), records of keys by digest (hash), their
 * usage by digest (hash), recent changes (list), quantities that were set by petId (hash), the entries that they were
 * set in (list). Times are in seconds as doubles, written with all their digits, so that the sums are those of JavaScript.
 */
export type ScriptName = 'join' | 'decide' | 'apply' | 'load';

/** Names of the keys, in the order that the scripts expect. */
export const KEY_NAMES = ['state', 'records', 'usage', 'changes', 'quantities', 'base'] as const;

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
