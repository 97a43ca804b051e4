import { type Key, type Exchange, secondsToWait } from '../../suites/oracle/index.ts';
import type { TargetClient } from '../../suites/target/index.ts';
import type { LoadSession } from '../session.ts';
import type { LoadLoss, LoadResponse } from './load-request.ts';

/** What a load did to a key, as JSON carries it. Moments are in milliseconds. */
export interface KeyUseEntry {
  /** Label of the key. */
  readonly key: string;
  readonly lastAt: number;
  /** Responses 429. */
  readonly refusals: number;
  /** When the last of them came, and how long it said to wait. */
  readonly refused: { readonly at: number; readonly waitSeconds: number } | null;
}

interface Use {
  lastAt: number;
  refusals: number;
  lastRefusal: LoadResponse | null;
}

/**
 * Remembers what a load did to configured keys, so that the next check that uses them waits for a fresh window.
 * @param toExchange the response as the suites see it
 */
export function followKeyUse(
  { clock }: Pick<TargetClient, 'clock'>,
  toExchange: (response: LoadResponse) => Exchange,
) {
  const uses = new Map<Key, Use>();
  const note = (key: Key | null, at: number): Use | undefined => {
    if (key === null || key.issued) {
      return undefined;
    }
    const use = uses.get(key) ?? { lastAt: at, refusals: 0, lastRefusal: null };
    use.lastAt = Math.max(use.lastAt, at);
    uses.set(key, use);
    return use;
  };
  return {
    response: (response: LoadResponse): void => {
      const use = note(response.request.key, response.answeredAt);
      if (use !== undefined && response.status === 429) {
        use.refusals += 1;
        use.lastRefusal = response;
      }
    },
    loss: ({ request, givenUpAt }: LoadLoss): void => {
      note(request.key, givenUpAt);
    },
    /** What it did to each key. @param origin moment of `performance.now()` from which the moments count */
    entries: (origin: number): readonly KeyUseEntry[] =>
      [...uses].map(([key, { lastAt, refusals, lastRefusal }]) => ({
        key: key.label,
        lastAt: lastAt - origin,
        refusals,
        refused:
          lastRefusal === null
            ? null
            : {
                at: lastRefusal.answeredAt - origin,
                waitSeconds: secondsToWait(toExchange(lastRefusal), clock) ?? 0,
              },
      })),
  };
}

/** Adds what a load did to the usage of its keys. @param origin as it was given to `entries` */
export function enterKeyUse(
  entries: readonly KeyUseEntry[],
  { keys, client: { time, history } }: Pick<LoadSession, 'keys' | 'client'>,
  origin: number,
): void {
  const offset = time.now() - performance.now() + origin;
  if (entries.length > 0) {
    history.missed(time.now());
  }
  const usages = new Map(keys.map(({ label, usage }) => [label, usage] as const));
  for (const { key, lastAt, refusals, refused } of entries) {
    const usage = usages.get(key);
    if (usage === undefined) {
      continue;
    }
    usage.sentAt.push(lastAt + offset);
    usage.acceptedSinceFull = 0;
    if (refused !== null) {
      const refusedAt = refused.at + offset;
      usage.refusals += refusals;
      usage.refusedAt = Math.max(usage.refusedAt, refusedAt);
      usage.retryAt = Math.max(usage.retryAt, refusedAt + refused.waitSeconds * 1000);
    }
  }
}
