import { runLoad, announcedRequests, type LoadRunResult } from '../../../load/index.ts';
import {
  type LoadReport,
  countOutcomes,
  countText,
  isBinding,
  reportCauses,
  type LoadEnvironment,
  type ReportedRequirement,
  type TargetVerdict,
  withSubject,
  type ReportedPower,
} from '../../../reports/index.ts';
import { createRedactor } from '../../../suites/target/index.ts';
import { redactReport } from '../reported-requirement.ts';
import { packageVersion } from '../version.ts';
import type { LoadScenarioResult } from '../../../contract/load-result.ts';
import {
  LATEST_SET,
  SERVER_REQUIREMENTS,
  type RequirementSet,
  requirement,
  type RequirementId,
} from '../../../contract/requirements/index.ts';
import {
  countViolations,
  LEFT_CHANGED,
  notJudged,
  reportRequirement,
  decidedIds,
  reachByArea,
} from '../reported-requirement.ts';
import { LOAD_FAULTS } from '../../../reference-server/index.ts';

/** How a target is loaded, and what decides the verdict. */
export interface MeasureTargetOptions extends Omit<Parameters<typeof runLoad>[0], 'redactor'> {
  /** Whether the target is the embedded reference server. */
  readonly embedded?: boolean;
  readonly level: 'must' | 'should';
  /** What decides; the newest set by default. */
  readonly requirementSet?: RequirementSet;
  readonly environment?: LoadEnvironment;
}

/** Loads one target, and reports what was measured and found, without any key. */
export async function measureTarget(
  options: MeasureTargetOptions,
): Promise<{ readonly report: LoadReport; readonly interrupted: boolean }> {
  const redactor = createRedactor();
  const result = await runLoad({ ...options, redactor });
  const report = redactReport(buildLoadReport(result, options), redactor.redact);
  return { report, interrupted: result.interrupted };
}

/** What a load run found, as the one report that every format is written from. */
function buildLoadReport(result: LoadRunResult, options: MeasureTargetOptions): LoadReport {
  const { config, level, requirementSet = LATEST_SET, environment } = options;
  const run = result.state === 'done' ? result.result : null;
  const scenarios = run?.scenarios ?? [];
  const reason = 'message' in result ? result.message : 'Nothing was run.';
  const judgements = run?.judgements ?? SERVER_REQUIREMENTS.map(({ id }) => notJudged(id, reason));
  const requirements = judgements.map((judgement) =>
    reportRequirement(judgement, countViolations, requirementSet),
  );
  const binding = requirements.filter((row) => isBinding({ level }, row));
  const verdict = decide(result, scenarios, binding);
  return {
    schemaVersion: 1,
    kind: 'load',
    verdict,
    scope: withSubject(describeScope(verdict, result, requirements), options.embedded === true),
    profile: config.profile,
    level,
    requirementSet,
    target: {
      url: config.target,
      ...(options.embedded === true ? { embedded: true } : {}),
      control: config.control,
      keys: config.keys.map(({ label }) => label),
    },
    startedAt: result.startedAt.toISOString(),
    durationSeconds: Math.round(result.durationSeconds * 1000) / 1000,
    suite: { version: packageVersion(), specVersion: '1.0.0' },
    causes: reportCauses({ requirements, level }),
    requirements,
    counts: countOutcomes(requirements),
    observations: run?.observations ?? {},
    problems: [
      ...('message' in result ? [result.message] : []),
      ...result.problems,
      ...(result.interrupted
        ? ['The run was interrupted; the report holds what was measured until then.']
        : []),
    ],
    budget: {
      announced: announcedRequests(options.scenarios),
      spent: scenarios.reduce((sum, { spent }) => sum + spent, 0),
    },
    scenarios,
    ...(run === null ? {} : { power: powerUnderLoad(scenarios, requirements) }),
    ...(environment === undefined ? {} : { environment }),
  };
}

/**
 * A crossed threshold or a violation decides first; after that, nothing requested may be open.
 * @param binding the requirements that decide
 */
function decide(
  result: LoadRunResult,
  scenarios: readonly LoadScenarioResult[],
  binding: readonly ReportedRequirement[],
): TargetVerdict {
  const isViolated = binding.some(({ outcome }) => outcome === 'fail');
  if (isViolated || scenarios.some(({ outcome }) => outcome === 'fail')) {
    return 'nonconformant';
  }
  const ran = scenarios.filter(({ outcome }) => outcome !== 'skipped');
  const isOpen = ran.length === 0 || ran.some(({ outcome }) => outcome === 'inconclusive');
  const isCutShort = result.state !== 'done' || !result.isRestored || result.interrupted;
  return isCutShort || isOpen ? 'inconclusive' : 'conformant';
}

function describeScope(
  verdict: TargetVerdict,
  result: LoadRunResult,
  requirements: readonly ReportedRequirement[],
): string {
  const scenarios = result.state === 'done' ? result.result.scenarios : [];
  const thresholds = scenarios.flatMap(({ thresholds }) => thresholds);
  const held = thresholds.filter(({ outcome }) => outcome === 'pass').length;
  const skipped = scenarios.filter(({ outcome }) => outcome === 'skipped').length;
  const violated = requirements.filter(
    (row) => row.outcome === 'fail' && isBinding({ level: 'must' }, row),
  ).length;
  return [
    `${verdict} under load: ${held} of ${thresholds.length} thresholds held in ${countText(scenarios.length - skipped, 'scenario')}`,
    ...(skipped === 0 ? [] : [`${skipped} skipped`]),
    ...(violated === 0 ? [] : [`${countText(violated, 'MUST')} violated`]),
    ...(result.state === 'done' && !result.isRestored ? [LEFT_CHANGED] : []),
  ].join(', ');
}

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
