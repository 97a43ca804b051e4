import { DAY_SECONDS, MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import type { TrailExpectation } from '../../../../contract/trail.ts';
import type { Exchange, Key } from '../../../oracle/index.ts';
import type { BuiltSteps } from '../build-trail.ts';
import type { GivenAnswer } from '../judge-expectation.ts';
import type { LoggedEvent, LoggedRequest } from '../trail-log.ts';

/** What a finding rests on. */
export interface FindingScene {
  readonly id: RequirementId;
  readonly message: string;
  readonly events: readonly LoggedEvent[];
  readonly steps: BuiltSteps;
  readonly keys: ReadonlyMap<string, Key>;
  readonly revoked: readonly string[];
  /** The request whose answer shows it. */
  readonly decisive: LoggedRequest;
  /** `null` if it got no answer. */
  readonly exchange: Exchange | null;
  /** What the answers were, by their numbers. */
  readonly answers: readonly (GivenAnswer | undefined)[];
}

/** What one answer should have been, and the requirements that this is about; none if any may be. */
export interface Candidate {
  readonly about: (id: RequirementId) => boolean;
  readonly expectation: TrailExpectation;
}

export function only(...ids: readonly RequirementId[]): Candidate['about'] {
  return (id) => ids.includes(id);
}

export function isGrantedRequest({ response }: LoggedRequest): boolean {
  return response !== null && response.status >= 200 && response.status < 300;
}

/** Whether it lists the inventory or updates a pet, as documented: other spellings and operations may be refused. */
export function isPlain({ request: { operation, path } }: LoggedRequest): boolean {
  return operation === 'listInventory'
    ? path === '/inventory'
    : operation === 'updateInventory' && /^\/inventory\/\d+$/.test(path);
}

/** The answers to these requests, by their numbers. */
export function rowsOf(
  steps: BuiltSteps,
  requests: readonly LoggedRequest[],
): readonly (readonly [number, number])[] {
  const numbers = requests.map((request) => steps.numberOf(request)).toSorted((a, b) => a - b);
  const rows: [number, number][] = [];
  for (const number of numbers) {
    const row = rows.at(-1);
    if (row !== undefined && number <= row[1] + 1) {
      row[1] = number;
    } else {
      rows.push([number, number]);
    }
  }
  return rows;
}

// A sliding counter forgets a minute only after two.
const REST_MILLISECONDS = 2 * MINUTE_SECONDS * 1000;
// Of a window that slides, some room has come back by then, however it counts.
const SURELY_OVER = 1.04;

/** Where the requests of a key begin that followed its last rest; -1 if there was none. */
export function startAfterRest(own: readonly LoggedRequest[]): number {
  return own.findLastIndex(
    ({ at }, index) => at - (own[index - 1]?.endedAt ?? Number.NEGATIVE_INFINITY) >= REST_MILLISECONDS,
  );
}

/** Those that present the key of a request, up to that one. */
export function requestsUntil(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
): readonly LoggedRequest[] {
  return events
    .slice(0, events.indexOf(request) + 1)
    .filter((event): event is LoggedRequest => event.do === 'send' && event.key === request.key);
}

/** Whether some target that keeps the specification may refuse a request, however the others of the trail are answered. */
export function mayHaveHadEnough(
  { events, keys }: Pick<FindingScene, 'events' | 'keys'>,
  request: LoggedRequest,
): boolean {
  const key = keys.get(request.key ?? '');
  if (key === undefined) {
    return false;
  }
  const until = requestsUntil(events, request);
  const { limits, usedToday } = key;
  if (limits === null) {
    return true;
  }
  const lately = until.slice(Math.max(0, startAfterRest(until)));
  return (
    mayHoldBack(lately, limits.perMinute, MINUTE_SECONDS) ||
    mayHoldBack(until, limits.perDay - usedToday, DAY_SECONDS)
  );
}

/** Whether a limit may refuse the last of these requests. */
function mayHoldBack(requests: readonly LoggedRequest[], limit: number, seconds: number): boolean {
  const last = requests.at(-1);
  if (last === undefined || requests.length <= limit) {
    return false;
  }
  const recent = requests.filter(({ at }) => last.at - at < seconds * SURELY_OVER * 1_000).length - 1;
  // Whoever used up a window without going beyond it, and then lets it pass, is no longer held by it.
  return requests.length > limit + 1 || recent > limit / 2;
}
