import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type RequestMessage,
  planningLimits,
  TWO_WINDOWS_SECONDS,
  type Key,
  secondsToWait,
} from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';

// What is left of a wait when it took so long already that a slow machine spoiled it.
const LEAST_WAIT_SECONDS = 0.01;

/** What a client that honours Retry-After may show. */
export const RETRY_AFTER_JUDGES = ['retry-after-honoured', 'ban-only-after-continued'] as const;

/**
 * Waits for the Retry-After of a refusal and sends one request, which the oracle judges. If a first refusal by the
 * minute asks for longer than windows of a minute can last, it is sent once those have passed.
 * @returns that exchange, or `null` if the refusal does not say when to come back
 */
export async function honourRetryAfter(
  context: CheckContext,
  key: Key,
  refusal: Exchange,
  message: RequestMessage = listInventory(),
): Promise<Exchange | null> {
  const seconds = secondsToWait(refusal, context.clock);
  if (seconds === undefined) {
    return null;
  }
  const isBlock =
    !context.mayBeBanned(key) && seconds > TWO_WINDOWS_SECONDS && isOfTheMinute(key, refusal, seconds);
  if (isBlock || isBeyondRealTime(context, seconds)) {
    // No window of a minute is left then, so that only a ban would refuse until the same end.
    await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
    return context.send(message, { key });
  }
  const passed = (context.now() - refusal.receivedAt) / 1000;
  await context.sleep(
    Math.max(LEAST_WAIT_SECONDS, seconds - passed + LEAST_WAIT_SECONDS),
    `Retry-After of ${key.label}`,
  );
  return context.send(message, { key });
}

/**
 * Comes back as the last answer says, if that is a refusal for the rate.
 * @returns whether the key was let in; not if it was not refused so, or not told for how long
 */
export async function comeBackAsTold(
  context: CheckContext,
  key: Key,
  last: Exchange | undefined,
  message?: RequestMessage,
): Promise<boolean> {
  const back = last?.response.status === 429 ? await honourRetryAfter(context, key, last, message) : null;
  return back !== null && isAccepted(back);
}

/** Whether nobody can wait for it, though what refused may be over soon: such as where a Unix time stands for seconds. */
export function isBeyondRealTime({ virtualTime }: CheckContext, seconds: number): boolean {
  return !virtualTime && seconds >= LONGEST_TEMPORARY_SECONDS;
}

// A day that ends within the hour, just when a minute does, looks the same as a block.
const LONGEST_BLOCK_SECONDS = 3_600;
/** Whether the day cannot be what refused: it has room, or what the suite does not know of it hardly ends here. */
function isOfTheMinute(key: Key, refusal: Exchange, seconds: number): boolean {
  const { perMinute, perDay } = planningLimits(key);
  return key.issued
    ? key.usedToday + key.usage.sentAt.length < perDay
    : rateLimitOf(refusal)?.limit === perMinute && seconds <= LONGEST_BLOCK_SECONDS;
}
