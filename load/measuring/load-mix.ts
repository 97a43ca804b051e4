import type { PlanLimits } from '../../contract/plans.ts';
import { type Key, planningLimits, type RequestMessage } from '../../suites/oracle/index.ts';
import { listInventory, updateInventory } from '../../suites/target/index.ts';
import { LISTING_NAME, sum } from '../figures/request-counts.ts';
import { NotPossible } from '../scenario.ts';
import type { LoadSession } from '../session.ts';
import type { LoadRequest } from '../engine/load-request.ts';

// More than any generator sends, and a number that every language reads exactly.
const UNLIMITED: PlanLimits = { perMinute: 100_000_000, perDay: 2_000_000_000 };
// Few, so that many requests of one key are under way at once.
const ISSUED_KEYS = 2;

/** The part of a session that knows the keys. */
export interface KeySource extends Pick<
  LoadSession,
  'issues' | 'issue' | 'isResting' | 'keys' | 'shownLimit'
> {
  readonly config: Pick<LoadSession['config'], 'profile'>;
}

/**
 * Keys whose limits allow a load: issued ones if the target's control URL issues keys, otherwise the configured ones.
 * @param requestsPerMinute requests in any minute, at most
 * @param except configured keys to leave out
 * @returns keys in turn, each as often as its limit is part of the whole, and whether their limits are known to allow the load
 * @throws {NotPossible} if the configured keys are too small and the profile spares their limits, or they have met them
 */
export async function keysForLoad(
  session: KeySource,
  requestsPerMinute: number,
  except: ReadonlySet<Key> = new Set(),
) {
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
  const usable = session.keys.filter((key) => !session.isResting(key));
  if (usable.length === 0) {
    throw new NotPossible(
      'The limit of each key was met, and only profile full goes on with a key after a 429, before its Retry-After has passed.',
    );
  }
  const free = usable.filter((key) => !except.has(key));
  const keys = free.filter(({ plan }) => plan === largestPlan(free));
  const limits = keys.map((key) => planningLimits(key).perMinute);
  const whole = limits.reduce((sum, limit) => sum + limit, 0);
  const shown = (session.shownLimit ?? 0) * keys.length;
  const areAmple = keys.length > 0 && Math.max(whole, shown) >= requestsPerMinute;
  if (!areAmple && session.config.profile !== 'full') {
    throw new NotPossible(
      `The keys allow ${whole} requests a minute, and this takes ${requestsPerMinute}; only profile full exhausts a limit. Give an Enterprise key with its limits, such as --key enterprise=KEY@600000/100000000, or lower --rate.`,
    );
  }
  const smallest = Math.min(...limits);
  const cycle = keys.flatMap((key, index) => {
    const share = Math.min(64, Math.round((limits[index] ?? smallest) / smallest));
    return Array.from({ length: share }, () => key);
  });
  return { cycle: interleave(cycle), areAmple };
}

// A moving minute of such a rate keeps the limit, with a few requests to spare.
const SPARING = 0.8;

/** The ceiling of a closed loop: no more than configured keys allow, or the smallest of them, if their limits are spared. */
export function ceilingOf(session: KeySource, maxRate: number, which: 'all' | 'one' = 'all'): number {
  if (session.issues || session.config.profile === 'full') {
    return maxRate;
  }
  const usable = session.keys.filter((key) => !session.isResting(key));
  const limits = usable
    .filter(({ plan }) => plan === largestPlan(usable))
    .map((key) => Math.max(planningLimits(key).perMinute, session.shownLimit ?? 0));
  const allowed = which === 'all' ? sum(limits) : Math.min(...limits);
  return limits.length === 0 ? maxRate : Math.min(maxRate, (SPARING * allowed) / 60);
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

/** A request with a key, built once and sent many times. */
export function keyed(message: RequestMessage, key: Key): LoadRequest {
  return {
    message,
    key,
    authorization: [`Bearer ${key.secret}`],
    operation: nameOf(message),
  };
}

/** A request without a key that the target knows. */
export function unknownKey(message: RequestMessage, authorization: readonly string[]): LoadRequest {
  return { message, key: null, authorization, operation: `${nameOf(message)} without a valid key` };
}

/** `GET /inventory`, `PATCH /inventory/{petId}` and so on. */
function nameOf({ method, path, operation }: RequestMessage): string {
  switch (operation) {
    case 'listInventory':
      return LISTING_NAME;
    case 'updateInventory':
      return 'PATCH /inventory/{petId}';
    case 'getPet':
      return 'GET /pets/{petId}';
    default:
      return `${method} ${path}`;
  }
}

const CYCLE = 100;

/**
 * Requests in turn over keys and operations: reads of the list, and that share of updates which leave each pet as
 * it is, so that nothing has to be put back.
 */
export function mixOf(session: LoadSession, keys: readonly Key[], writes: number): readonly LoadRequest[] {
  const { pets } = session.inventory;
  // Reads differ only in their key, and autocannon makes each request once for each connection.
  const length = writes === 0 ? keys.length : keys.length * Math.max(1, Math.ceil(CYCLE / keys.length));
  return Array.from({ length }, (_, index): LoadRequest[] => {
    const key = keys[index % keys.length];
    if (key === undefined) {
      return [];
    }
    const isWrite = Math.floor((index + 1) * writes) > Math.floor(index * writes);
    const pet = pets[index % Math.max(1, pets.length)];
    return [
      keyed(
        isWrite && pet !== undefined ? updateInventory(pet.petId, pet.item.quantity) : listInventory(),
        key,
      ),
    ];
  }).flat();
}
