import type { Finding } from '../../../contract/verdict.ts';
import {
  isAccepted,
  rateLimitOf,
  type Exchange,
  type Judgement,
  secondsUntilRoom,
  type Key,
  COUNTED_BY_KEY,
} from '../../oracle/index.ts';
import { askForLists } from '../http/ask-for-lists.ts';
import type { TransportOptions } from '../http/http-transport.ts';
import type { TargetClient } from '../http/target-client.ts';

const MOST_KEYS = 2;
const PAUSES = 2;
/** Requests that finding out may take, at most: one more than there are steps from one to the next, for each key. */
export const MOST_USE_INQUIRIES = MOST_KEYS * (PAUSES + 2);
// A key at its limit has room again after a minute; else who uses it up would never be found out.
const LONGEST_WAIT_SECONDS = 65;

/** Keys that somebody else uses, by label, each with what was seen. */
export type ForeignUse = ReadonlyMap<string, string>;

/**
 * Finds out, once all checks are done, whether somebody else uses a configured key that failures were seen with: then
 * its remaining requests fall while the run sends nothing, and by more than they do from one request to the next.
 * @param pause in which nothing is sent with the keys
 */
export async function findForeignUse(
  keys: readonly Key[],
  judgements: readonly Judgement[],
  client: TargetClient,
  transport: TransportOptions,
  pause: () => Promise<void>,
): Promise<ForeignUse> {
  const blamed = new Set(
    judgements
      .filter(({ id, outcome }) => outcome === 'fail' && COUNTED_BY_KEY.has(id))
      .flatMap(({ findings }) => findings.map(keyOf)),
  );
  const found = new Map<string, string>();
  for (const key of keys.filter(({ label, issued }) => !issued && blamed.has(label)).slice(0, MOST_KEYS)) {
    const seen = await watchIdle(key, client, transport, pause);
    if (seen !== null) {
      found.set(key.label, seen);
    }
  }
  return found;
}

/** What an idle key shows of others, or `null` if it shows nothing. */
async function watchIdle(
  key: Key,
  client: TargetClient,
  transport: TransportOptions,
  pause: () => Promise<void>,
): Promise<string | null> {
  const wait = secondsUntilRoom(key, PAUSES + 2, client.time.now());
  if (client.signal.aborted || (wait > LONGEST_WAIT_SECONDS && !client.time.virtual)) {
    return null;
  }
  return askForLists(client, transport, key, async (ask) => {
    await client.time.sleep(wait, `room in the limit of ${key.label}, to see whether others use it`);
    const exchanges = [await ask(), await ask()];
    for (let pauses = 0; pauses < PAUSES; pauses += 1) {
      await pause();
      exchanges.push(await ask());
    }
    const [ordinary, ...idle] = falls(exchanges);
    return ordinary !== undefined &&
      ordinary > 0 &&
      idle.length === PAUSES &&
      idle.every((fall) => fall > ordinary)
      ? `X-RateLimit-Remaining fell by ${idle.join(', then by ')} while this run sent one request after a pause, and by ${ordinary} from one request to the next`
      : null;
  });
}

/** By how much Remaining fell from each response to the next; nothing if one of them does not tell. */
function falls(exchanges: readonly Exchange[]): readonly number[] {
  const readings = exchanges
    .filter((exchange) => isAccepted(exchange) && exchange.lostResponses === 0)
    .map(rateLimitOf)
    .filter((reading) => reading !== undefined);
  return readings.length < exchanges.length || new Set(readings.map(({ limit }) => limit)).size > 1
    ? []
    : readings.slice(1).map(({ remaining }, index) => (readings[index]?.remaining ?? 0) - remaining);
}

/** Leaves open what somebody else's use of a key may explain. */
export function withoutForeignUse(judgement: Judgement, foreign: ForeignUse): Judgement {
  const { id, outcome, findings } = judgement;
  const labels = findings.map(keyOf);
  const [first] = labels;
  const isExplained = labels.every((label) => label !== undefined && foreign.has(label));
  if (outcome !== 'fail' || !COUNTED_BY_KEY.has(id) || !isExplained || first === undefined) {
    return judgement;
  }
  const message = findings[0]?.message ?? '';
  return {
    ...judgement,
    outcome: 'inconclusive',
    reason: `Somebody else seems to use ${first} at the same time, which may explain this: ${message}`,
  };
}

/** One sentence for each key that somebody else uses. */
export function describeForeignUse(foreign: ForeignUse): readonly string[] {
  return [...foreign].map(
    ([label, seen]) =>
      `Somebody else seems to use ${label} at the same time: ${seen}. Give a key that nothing else uses; what failed with this one is left open.`,
  );
}

/** Label of the key that a finding was seen with. */
function keyOf({ exchange }: Finding): string | undefined {
  const value = exchange?.request.headers.find(([name]) => /^authorization$/i.test(name))?.[1];
  return /^Bearer (\w+#\d+)$/.exec(value ?? '')?.[1];
}
