import { MINUTE_SECONDS } from '../../contract/plans.ts';
import {
  type Departure,
  type Exchange,
  fitTogether,
  type FirstValues,
  type FirstValuesFollower,
  followFirstValues,
  followTraffic,
  isGranted,
  type Key,
  rateLimitOf,
  readRemaining,
  type ServerClock,
} from '../../suites/oracle/index.ts';

/** What one generator saw of the first window of a key, to be put together with what others saw of it. */
export interface KeyAccount extends FirstValues {
  readonly key: Key;
  readonly limit: number;
}

/** Follows what X-RateLimit-Remaining shows of keys that several generators use at once. */
export interface KeyAccounts {
  readonly leaving: (key: Key, id: number, at: number) => void;
  readonly received: (key: Key, id: number, exchange: Exchange) => void;
  readonly lost: (key: Key, id: number) => void;
  readonly all: () => readonly KeyAccount[];
}

interface Account {
  readonly limit: number;
  readonly values: FirstValuesFollower;
}

/**
 * @param clock of the target, by which a window ends
 * @param beganBy milliseconds of the timekeeper at which another generator may have begun to use the keys
 */
export function keepKeyAccounts(clock: Pick<ServerClock, 'at'>, beganBy: number): KeyAccounts {
  const traffic = followTraffic();
  const departures = new Map<number, Departure>();
  const leave = (id: number): Departure | undefined => {
    const departure = departures.get(id);
    departures.delete(id);
    return departure;
  };
  const accounts = new Map<Key, Account>();
  return {
    leaving: ({ label }, id, at) => void departures.set(id, traffic.enter(label, { at })),
    received: (key, id, exchange) => {
      const departure = leave(id);
      if (departure === undefined) {
        return;
      }
      const overlap = traffic.leave(departure, { type: 'response-received', exchange });
      const shown = rateLimitOf(exchange);
      let account = accounts.get(key);
      if (account === undefined && shown !== undefined) {
        account = { limit: shown.limit, values: followFirstValues(MINUTE_SECONDS * 1000, clock, beganBy) };
        accounts.set(key, account);
      }
      if (shown === undefined && isGranted(exchange)) {
        account?.values.skip();
      } else if (shown === undefined || shown.limit !== account?.limit || !isGranted(exchange)) {
        account?.values.close();
      } else {
        account.values.take(
          readRemaining(
            shown,
            { from: exchange.sentAt, to: exchange.receivedAt },
            overlap,
            traffic.of(key.label),
          ),
        );
      }
    },
    lost: (_key, id) => {
      const departure = leave(id);
      if (departure !== undefined) {
        traffic.leave(departure, { type: 'response-lost' });
      }
    },
    all: () =>
      [...accounts].flatMap(([key, { limit, values }]) => {
        const seen = values.seen();
        return seen === null ? [] : [{ key, limit, ...seen }];
      }),
  };
}

/**
 * The violation that the accounts of all generators show for one key, in a sentence, or `null`.
 * @param isComplete whether every request that was sent was seen by one of them
 */
export function problemOfAccounts(accounts: readonly KeyAccount[], isComplete: boolean): string | null {
  const [first] = accounts;
  if (
    first === undefined ||
    accounts.some(({ limit }) => limit !== first.limit) ||
    fitTogether(accounts, isComplete)
  ) {
    return null;
  }
  const granted = accounts.reduce((sum, account) => sum + account.granted, 0);
  const from = first.limit - Math.min(...accounts.map(({ least }) => least));
  const to = first.limit - Math.max(...accounts.map(({ most }) => most));
  return `${first.key.label} was granted ${granted} requests of one window, while X-RateLimit-Remaining fell from ${from} to ${to}.`;
}
