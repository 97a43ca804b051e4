import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { parseRetryAfter } from '../../../contract/retry-after.ts';
import type { TrailStep } from '../../../contract/trail.ts';
import type { ServerClock } from '../../oracle/index.ts';
import type { LoggedEvent, LoggedRequest } from './trail-log.ts';
import type { Wording } from './word-requests.ts';

/** A pause that is no mere processing. */
export const SHORTEST_WAIT_MILLISECONDS = 500;
// Whoever waits as told comes a little later.
const TOLD_MILLISECONDS = 3_000;
const REFUSAL_STATUSES: ReadonlySet<number> = new Set([401, 403, 429]);

/** Until when the last refusal of each key asked to wait. */
export type EndsOfWaits = Map<string, number>;

export function noteRefusals(
  refusals: EndsOfWaits,
  requests: readonly LoggedRequest[],
  clock: Pick<ServerClock, 'at'>,
): void {
  for (const request of requests) {
    const until = endOfWait(request, clock);
    if (request.key !== null && until !== null) {
      refusals.set(request.key, until);
    }
  }
}

/** Until when the answer asked to wait; `null` if it did not. */
function endOfWait({ response, endedAt }: LoggedRequest, clock: Pick<ServerClock, 'at'>): number | null {
  const told = headerValues(response?.headers ?? [], 'Retry-After')[0];
  const reading = told === undefined ? undefined : parseRetryAfter(told);
  if (endedAt === null || reading === undefined) {
    return null;
  }
  const now = clock.at(endedAt)?.latest;
  const seconds =
    reading.form === 'delta-seconds' ? reading.seconds : now === undefined ? 0 : reading.unixSeconds - now;
  return endedAt + seconds * 1000;
}

/**
 * Until when the last answer of its key before a request asked to wait; `null` if it did not. A refusal that does not
 * say how long asks for a pause.
 */
export function toldUntil(
  events: readonly LoggedEvent[],
  request: LoggedRequest,
  clock: Pick<ServerClock, 'at'>,
): number | null {
  const { key, at } = request;
  const before = events.findLast(
    (event): event is LoggedRequest =>
      event.do === 'send' && event !== request && event.key === key && (event.endedAt ?? Infinity) <= at,
  );
  if (key === null || before === undefined) {
    return null;
  }
  const isSilent = headerValues(before.response?.headers ?? [], 'Retry-After').length === 0;
  const isRefusal = REFUSAL_STATUSES.has(before.response?.status ?? 0);
  return isRefusal && isSilent && before.endedAt !== null
    ? before.endedAt + SHORTEST_WAIT_MILLISECONDS
    : endOfWait(before, clock);
}

/** What waits, and until when. */
interface Waiting extends Pick<LoggedRequest, 'key' | 'at'> {
  /** Whether its key had waited for what its last answer asked for. */
  readonly hasWaited: boolean;
}

export function waitStep(
  pause: number,
  { key, at, hasWaited }: Waiting,
  from: number,
  refusals: EndsOfWaits,
  { keyOf }: Wording,
): TrailStep {
  const isMere = pause < SHORTEST_WAIT_MILLISECONDS;
  const [told = null] = isMere
    ? [key]
    : [...refusals]
        .filter(([, until]) => at >= until - 50 && at <= until + TOLD_MILLISECONDS)
        .map(([refused]) => refused)
        .toSorted((one, other) => Number(other === key) - Number(one === key));
  const wait = { do: 'wait', at: Math.round(from), seconds: Math.max(0, Math.round(pause)) / 1000 } as const;
  if (told !== null) {
    return { ...wait, told: keyOf(told) };
  }
  return key !== null && hasWaited ? { ...wait, outlasts: keyOf(key) } : wait;
}
