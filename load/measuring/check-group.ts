import { requestsOf, type KeyLeases } from '../../suites/target/index.ts';
import type { Check } from '../../suites/verify/index.ts';
import { planningLimits, type Key } from '../../suites/oracle/index.ts';

// A burst that is much greater than a Business key's is more than a scenario announces.
const MOST_REQUESTS = 2_500;

/** Why a check cannot get the keys that it needs, or `null`. */
export function obstacleOfKeys({ needs }: Check, leases: KeyLeases): string | null {
  const dear = needs.keys
    .flatMap((need) => leases.candidates(need).map((key) => ({ key, need })))
    .find(({ key, need }) => requestsOf(need, planningLimits(key)) > MOST_REQUESTS);
  return dear === undefined
    ? leases.obstacle(needs.keys)
    : `The limit of ${dear.key.label} is ${planningLimits(dear.key).perMinute} a minute; to exceed it would take more requests than this run announces.`;
}

/** The configured keys that checks may use; a check counts every request of its key. */
export function keysTaken(checks: readonly Check[], leases: KeyLeases): ReadonlySet<Key> {
  return new Set(checks.flatMap(({ needs }) => needs.keys.flatMap((need) => leases.candidates(need))));
}
