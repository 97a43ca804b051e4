import {
  isAccepted,
  rateLimitOf,
  retryAfterOf,
  type Exchange,
  type Key,
  planningLimits,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import type { BanSign } from './ban-provocation.ts';

/** What a request that comes before Retry-After has passed does to the wait. */
type EarlyReturnShown =
  | 'nothing'
  | 'Retry-After begins anew'
  | 'X-RateLimit-Reset begins anew'
  | 'Retry-After and X-RateLimit-Reset begin anew';

// A ban adds more to a wait than the pause before it, and what rounding adds.
const LONGEST_ROUNDING_SECONDS = 10;
const MOST_BLUR_SHARE = 1 / 4;

/**
 * Compares a refusal for the limit with that of an early request after it.
 * @returns `undefined` if they do not show it, or the later one is that of a ban
 */
export function earlyReturnShown(key: Key, first: Exchange, early: Exchange): EarlyReturnShown | undefined {
  const passed = secondsBetween(first, early);
  const blur = [first, early].map(({ sentAt, receivedAt }) => (receivedAt - sentAt) / 1000);
  const resets = resetMoved(key, first, early);
  const waits = waitMoved(first, early);
  if (
    isOfBan(first, early) ||
    Math.max(...blur) > passed * MOST_BLUR_SHARE ||
    waits === undefined ||
    resets === undefined
  ) {
    return undefined;
  }
  if (waits > passed / 2) {
    return resets > passed / 2 ? 'Retry-After and X-RateLimit-Reset begin anew' : 'Retry-After begins anew';
  }
  return resets > passed / 2 ? 'X-RateLimit-Reset begins anew' : 'nothing';
}

function secondsBetween(first: Exchange, later: Exchange): number {
  return (later.receivedAt - first.receivedAt) / 1000;
}

/** By how many seconds the end of the wait moved. */
function waitMoved(first: Exchange, later: Exchange): number | undefined {
  const [before, after] = [retryAfterOf(first), retryAfterOf(later)];
  if (before?.form === 'delta-seconds' && after?.form === 'delta-seconds') {
    return secondsBetween(first, later) + after.seconds - before.seconds;
  }
  return before?.form === 'http-date' && after?.form === 'http-date'
    ? after.unixSeconds - before.unixSeconds
    : undefined;
}

/** By how many seconds Reset moved, if both describe the minute. */
function resetMoved(key: Key, first: Exchange, later: Exchange): number | undefined {
  const { perMinute } = planningLimits(key);
  const [before, after] = [rateLimitOf(first), rateLimitOf(later)];
  return before?.limit === perMinute && after?.limit === perMinute ? after.reset - before.reset : undefined;
}

/** Whether a later refusal is that of a ban: it is no 429, or its wait is longer than the pause explains. */
export function isOfBan(first: Exchange, later: Exchange): boolean {
  return (
    later.response.status !== 429 ||
    (waitMoved(first, later) ?? 0) > secondsBetween(first, later) + LONGEST_ROUNDING_SECONDS
  );
}

function beginsAnew(first: Exchange, later: Exchange): boolean {
  return (waitMoved(first, later) ?? 0) > secondsBetween(first, later) / 2;
}

// Such that whole seconds show it.
const REAL_PAUSE_SECONDS = 4;

/** Where a key stands that was refused for its limit and came back early. */
interface EarlyReturn {
  /** The refusal that the present window ends with; `undefined` if it ended meanwhile. */
  readonly refusal: Exchange | undefined;
  /** Requests that were refused since then. */
  readonly continued: number;
  /** The ban that the first of them led to. */
  readonly ban: BanSign | null;
}

/**
 * Comes back too early, in real time, and sees if the wait begins anew. If it does, it comes back once more: a ban that the
 * first request led to would not begin anew.
 */
export async function returnEarly(context: CheckContext, key: Key, refusal: Exchange): Promise<EarlyReturn> {
  const first = await sendAfterPause(context, key);
  if (isAccepted(first)) {
    return beyondLimitAgain(context, key);
  }
  const ban = { exchange: first, after: 1 };
  if (isOfBan(refusal, first)) {
    context.notProvoked('early-return', 'The first request that came early led to a ban.');
    return { refusal, continued: 0, ban };
  }
  if (!beginsAnew(refusal, first)) {
    observeShown(context, earlyReturnShown(key, refusal, first));
    return { refusal: first, continued: 1, ban: null };
  }
  const second = await sendAfterPause(context, key);
  if (isAccepted(second)) {
    return beyondLimitAgain(context, key);
  }
  if (isOfBan(first, second) || !beginsAnew(first, second)) {
    context.notProvoked('early-return', 'The first request that came early led to a ban.');
    return { refusal, continued: 0, ban };
  }
  observeShown(context, earlyReturnShown(key, first, second));
  return { refusal: second, continued: 2, ban: null };
}

async function sendAfterPause(context: CheckContext, key: Key): Promise<Exchange> {
  await context.sleep(REAL_PAUSE_SECONDS, `coming back early with ${key.label}`);
  return context.send(listInventory(), { key });
}

function observeShown(context: CheckContext, shown: EarlyReturnShown | undefined): void {
  if (shown === undefined) {
    context.notProvoked('early-return', 'The headers of the refusals did not show when the wait ends.');
  } else {
    context.observe('early-return', shown);
  }
}

const MOST_UNTIL_REFUSED = 8;

/** A window has ended, or slides. */
async function beyondLimitAgain(context: CheckContext, key: Key): Promise<EarlyReturn> {
  context.notProvoked('early-return', 'The window ended before Retry-After had passed.');
  for (let sent = 0; sent < MOST_UNTIL_REFUSED; sent += 1) {
    const exchange = await context.send(listInventory(), { key });
    if (exchange.response.status === 429) {
      return { refusal: exchange, continued: 0, ban: null };
    }
  }
  return { refusal: undefined, continued: 0, ban: null };
}
