import { keepsLimit, requestsOf, type KeyLeases } from '../../suites/target/index.ts';
import type { Check, CheckSummary } from '../../suites/verify/index.ts';
import { planningLimits, type Key } from '../../suites/oracle/index.ts';

// A burst that is much greater than a Business key's is more than a scenario announces.
const MOST_REQUESTS = 2_500;

/** Why a check can't get the keys that it needs, or `null`. */
export function obstacleOfKeys({ needs }: Check, leases: KeyLeases): string | null {
  const dear = needs.keys
    .flatMap((need) => leases.candidates(need).map((key) => ({ key, need })))
    .find(({ key, need }) => requestsOf(need, planningLimits(key)) > MOST_REQUESTS);
  return dear === undefined
    ? leases.obstacle(needs.keys)
    : `The limit of ${dear.key.label} is ${planningLimits(dear.key).perMinute} a minute, and to exceed it would take more requests than are announced.`;
}

/** The configured keys that checks may use; whoever watches one counts each of its requests. */
export function keysTaken(checks: readonly Check[], leases: KeyLeases): ReadonlySet<Key> {
  return new Set(checks.flatMap(({ needs }) => needs.keys.flatMap((need) => leases.candidates(need))));
}

/** Performs those that have to be alone one after the other, and then the others side by side. */
export async function performGroup(
  checks: readonly Check[],
  leases: KeyLeases,
  perform: (check: Check) => Promise<CheckSummary>,
): Promise<readonly CheckSummary[]> {
  const summaries: CheckSummary[] = [];
  let sharing = checks.filter(onlyShares).length;
  if (sharing === 0) {
    leases.sharingIsOver();
  }
  const performOne = async (check: Check): Promise<void> => {
    summaries.push(await perform(check));
    sharing -= onlyShares(check) ? 1 : 0;
    if (sharing === 0) {
      leases.sharingIsOver();
    }
  };
  for (const check of checks.filter(({ needs }) => needs.alone === true)) {
    await performOne(check);
  }
  await Promise.all(checks.filter(({ needs }) => needs.alone !== true).map(performOne));
  return summaries;
}

function onlyShares({ needs }: Check): boolean {
  return needs.keys.every(keepsLimit);
}
