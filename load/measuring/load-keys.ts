import type { PlanLimits } from '../../contract/plans.ts';
import { type Key, planningLimits } from '../../suites/oracle/index.ts';
import { isLoopback } from '../../suites/target/index.ts';
import { NotPossible } from '../scenario.ts';
import type { LoadSession } from '../session.ts';

// More than any generator sends, and a number that every language reads exactly.
const UNLIMITED: PlanLimits = { perMinute: 100_000_000, perDay: 2_000_000_000 };
// Few, so that many requests of one key are under way at once.
const ISSUED_KEYS = 2;

/** The part of a session that knows the keys. */
export interface KeySource extends Pick<LoadSession, 'issues' | 'issue' | 'keys' | 'shownLimit'> {
  readonly config: Pick<LoadSession['config'], 'target'>;
}

/** The keys that a load is spread over, and how many requests of a cycle each gets. */
export interface LoadKeys {
  /** Keys in turn, each as often as its limit is part of the whole. */
  readonly cycle: readonly Key[];
  /** Whether the limits of the keys are known to allow the load. */
  readonly areAmple: boolean;
}

/**
 * Keys whose limits allow a load: issued ones if the target's control URL issues keys, otherwise the configured ones.
 * @param requestsPerMinute requests in any minute, at most
 * @param except configured keys to leave out
 * @throws {NotPossible} if the configured keys are too small and might be banned for it
 */
export async function keysForLoad(
  session: KeySource,
  requestsPerMinute: number,
  except: ReadonlySet<Key> = new Set(),
): Promise<LoadKeys> {
  if (session.issues) {
    const cycle = await Promise.all(
      // No two alike, so that headers which belong to another key are noticed.
      Array.from({ length: ISSUED_KEYS }, (_, index) =>
        session.issue('enterprise', {
          perMinute: UNLIMITED.perMinute + 1_000 * index,
          perDay: UNLIMITED.perDay + 10_000 * index,
        }),
      ),
    );
    return { cycle, areAmple: true };
  }
  const free = session.keys.filter((key) => !except.has(key));
  const keys = free.filter(({ plan }) => plan === largestPlan(free));
  const limits = keys.map((key) => planningLimits(key).perMinute);
  const whole = limits.reduce((sum, limit) => sum + limit, 0);
  const shown = (session.shownLimit ?? 0) * keys.length;
  const areAmple = keys.length > 0 && Math.max(whole, shown) >= requestsPerMinute;
  if (!areAmple && !isLoopback(session.config.target)) {
    throw new NotPossible(
      `The keys allow ${whole} requests a minute, and this takes ${requestsPerMinute}; they might be banned. Give an Enterprise key with its limits, such as --key enterprise=KEY@600000/100000000, or lower --rate.`,
    );
  }
  const smallest = Math.min(...limits);
  const cycle = keys.flatMap((key, index) => {
    const share = Math.min(64, Math.round((limits[index] ?? smallest) / smallest));
    return Array.from({ length: share }, () => key);
  });
  return { cycle: interleave(cycle), areAmple };
}

const BY_SIZE = ['enterprise', 'business', 'pro', 'free'] as const;

function largestPlan(keys: readonly Key[]): Key['plan'] {
  return BY_SIZE.find((plan) => keys.some((key) => key.plan === plan)) ?? 'free';
}

/** The same keys, with equal ones as far apart as they go. */
function interleave(keys: readonly Key[]): readonly Key[] {
  const groups = [...Map.groupBy(keys, (key) => key).values()];
  return groups
    .flatMap((group) => group.map((key, index) => ({ key, at: (index + 0.5) / group.length })))
    .toSorted((a, b) => a.at - b.at)
    .map(({ key }) => key);
}
