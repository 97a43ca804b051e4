import type { Key } from '../suites/keys.ts';
import { secondsToWait, type Wire } from '../suites/wire.ts';
import type { Exchange } from '../suites/exchange.ts';
import type { LoadLoss, LoadResponse } from './load-request.ts';

/** Remembers what a load did to configured keys, so that a check which uses them next waits for a fresh window. */
export interface KeyUse {
  readonly response: (response: LoadResponse) => void;
  readonly loss: (loss: LoadLoss) => void;
  /** Enters it into the usage of the keys, when the load is over. */
  readonly close: () => void;
}

interface Use {
  lastAt: number;
  refusals: number;
  lastRefusal: LoadResponse | null;
}

/** @param toExchange the response as the suites see it */
export function followKeyUse(
  { time, clock }: Pick<Wire, 'time' | 'clock'>,
  toExchange: (response: LoadResponse) => Exchange,
): KeyUse {
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
    response: (response) => {
      const use = note(response.request.key, response.answeredAt);
      if (use !== undefined && response.status === 429) {
        use.refusals += 1;
        use.lastRefusal = response;
      }
    },
    loss: ({ request, givenUpAt }) => {
      note(request.key, givenUpAt);
    },
    close: () => {
      const offset = time.now() - performance.now();
      for (const [{ usage }, { lastAt, refusals, lastRefusal }] of uses) {
        usage.sentAt.push(lastAt + offset);
        usage.acceptedSinceFull = 0;
        if (lastRefusal !== null) {
          const exchange = toExchange(lastRefusal);
          usage.refusals += refusals;
          usage.impatient += refusals;
          usage.refusedAt = exchange.receivedAt;
          usage.retryAt = Math.max(
            usage.retryAt,
            exchange.receivedAt + (secondsToWait(exchange, clock) ?? 0) * 1000,
          );
        }
      }
    },
  };
}
