import type { LoadScenarioResult } from '../../../contract/load-result.ts';
import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import { LOAD_FAULTS } from '../../../reference-server/index.ts';
import type { ReportedPower, ReportedRequirement } from '../../../reports/index.ts';
import { decidedIds, reachByArea } from '../reported-requirement.ts';

/** How a seeded load fault was seen when it was measured: by a scenario, as a requirement violated or a threshold crossed. */
type SeenUnderLoad = readonly [scenario: string, as: RequirementId | 'errors < 0.1%'];

/** A system test of `load` measures each of them. */
export const SEEN_UNDER_LOAD: Readonly<Record<string, SeenUnderLoad>> = {
  'server-error-when-busy': ['throughput', 'errors < 0.1%'],
  'headers-of-another-key-when-busy': ['throughput', 'limit-of-plan'],
  'remaining-repeats-when-busy': ['throughput', 'remaining-falls'],
  'remaining-missing-when-busy': ['throughput', 'header-remaining'],
  'valid-key-refused-when-busy': ['throughput', 'valid-key-accepted'],
  'charged-to-another-key-when-busy': ['fairness', 'keys-independent-at-limit'],
  'hammered-key-halts-others': ['fairness', 'keys-independent-at-limit'],
  'unknown-key-accepted-when-many-are-tried': ['bad-keys', 'unknown-key'],
  'race-when-busy': ['limit-accuracy', 'limit-under-concurrency'],
  'keys-forgotten-when-many-are-active': ['limit-accuracy', 'limit-renews'],
  'retry-after-short-when-busy': ['limit-accuracy', 'retry-after-honoured'],
  'update-lost-when-busy': ['mixed', 'update-persists'],
  'list-stale-when-busy': ['mixed', 'update-persists'],
  'update-answers-mixed-when-busy': ['mixed', 'update-exact-pet'],
};

/** Connections that they were measured with, if they are a parameter that matters; fewer show less. */
export const CONNECTIONS_MEASURED = { throughput: 100, mixed: 100, 'bad-keys': 64 } as const;
const LEAST_CONNECTIONS = new Map<string, number>(Object.entries(CONNECTIONS_MEASURED));

/** A scenario that is over sooner may not have been busy. */
const LEAST_SECONDS = 0.6;

/** How many load faults a run could have caught: by a scenario that is known to show them, and that came to a result. */
export function powerUnderLoad(
  scenarios: readonly LoadScenarioResult[],
  requirements: readonly Pick<ReportedRequirement, 'id' | 'outcome'>[],
): ReportedPower {
  const decided = decidedIds(requirements);
  return reachByArea(
    LOAD_FAULTS.map(({ id, breaks }) => {
      const [scenario = '', as = ''] = SEEN_UNDER_LOAD[id] ?? [];
      return {
        area: requirement(breaks).area,
        isWithinReach: scenarios
          .filter((result) => result.id === scenario && wasBusy(result))
          .some(
            ({ thresholds }) => decided.has(as) || thresholds.some(({ expression }) => expression === as),
          ),
      };
    }),
  );
}

function wasBusy({ id, outcome, parameters, durationSeconds }: LoadScenarioResult): boolean {
  const connections = Number(parameters['connections'] ?? 0);
  return (
    (outcome === 'pass' || outcome === 'fail') &&
    durationSeconds >= LEAST_SECONDS &&
    connections >= (LEAST_CONNECTIONS.get(id) ?? 0)
  );
}
