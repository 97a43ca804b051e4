import { collectJudgements, planningLimits, SEEN_IN_STORE, type Judgement } from '../../oracle/index.ts';
import { keepsLimit, leaseConfiguredKeys, type OpenedTarget } from '../../target/index.ts';
import type { LeftRequests } from '../budget.ts';
import { withClient, type CheckEnvironment } from '../check-environment.ts';
import type { Check } from '../../stimuli/index.ts';
import { performCheck } from '../perform-check.ts';
import { leasePetsOf, trailCheck } from './trail-check.ts';

// What took longer is not shown once more in passing.
const LONGEST_MILLISECONDS = 10_000;
// What a target does to every tenth update shows in one of so many.
const MOST_TIMES = 6;
const LAST_BEGINNING_MILLISECONDS = 60_000;

/** What led to the failures in the inventory, the shortest first; what takes a fresh window or a long wait is left out. */
function repetitionsOf(judgements: readonly Judgement[]) {
  return judgements
    .filter(({ id, outcome }) => outcome === 'fail' && SEEN_IN_STORE.has(id))
    .flatMap(({ id, findings }) =>
      findings.flatMap(({ trail }) => {
        if (trail === undefined || (trail.steps.at(-1)?.at ?? 0) > LONGEST_MILLISECONDS) {
          return [];
        }
        const check = withAnyKeys(trailCheck(trail, id, false));
        const counts = check.needs.keys.map(({ requests }) => (typeof requests === 'number' ? requests : 0));
        const requests = counts.reduce((sum, count) => sum + count, check.anonymousRequests ?? 0);
        return [{ check, trail, requests }];
      }),
    )
    .filter(({ check: { needs } }) => needs.control === undefined && needs.keys.every(keepsLimit))
    .toSorted((one, other) => one.requests - other.requests);
}

/** What the inventory shows is the same for each plan, so that the key with the most room will do. */
function withAnyKeys({ needs, ...check }: Check): Check {
  return {
    ...check,
    needs: { ...needs, keys: needs.keys.map((need) => ({ ...need, plan: 'any' as const })) },
  };
}

/**
 * Sends again what led to failures in the inventory, until one shows once more. What is seen is not recorded.
 * Each time takes half of the requests that are left, so that there is a next one; after a minute there is none.
 * @returns what does so. It returns whether one showed; `null` if nothing could be sent
 */
export function openRepetitions(
  { issuedKeys, keys, inventory }: Pick<OpenedTarget, 'inventory' | 'issuedKeys' | 'keys'>,
  environment: CheckEnvironment,
  failed: readonly Judgement[],
  { left, spend }: LeftRequests,
): () => Promise<boolean | null> {
  const repetitions = repetitionsOf(failed);
  const { time } = environment.client;
  const roomiest = keys.toSorted((a, b) => planningLimits(b).perMinute - planningLimits(a).perMinute);
  // Those of the run keep keys for checks that it may have left out.
  const leases =
    issuedKeys ??
    leaseConfiguredKeys(
      roomiest,
      repetitions.map(({ check }) => check),
      time,
    );
  const possible = repetitions.filter(({ check: { needs } }) => leases.obstacle(needs.keys) === null);
  const rounds = Array.from({ length: MOST_TIMES }, () => possible).flat();
  const end = time.now() + LAST_BEGINNING_MILLISECONDS;
  return async () => {
    const judgements = collectJudgements();
    const own = { ...withClient(environment, { judgements, spend }), leases };
    const kept = left() / 2;
    let isSent = false;
    for (const { check, trail, requests } of rounds) {
      if (left() - requests < kept || time.now() > end) {
        continue;
      }
      const petLeases = leasePetsOf(trail, inventory.pets);
      const { outcome } = await time.participate(() => performCheck(check, { ...own, petLeases }, () => {}));
      if ([...SEEN_IN_STORE].some((id) => judgements.judgementOf(id).outcome === 'fail')) {
        return true;
      }
      isSent ||= outcome === 'done';
    }
    return isSent ? false : null;
  };
}
