import { LATEST_SET, type RequirementSet } from '../../contract/requirements/index.ts';
import type { ReportedTraffic, VerifyReport } from '../../reports/index.ts';
import type { Judgement } from '../../suites/oracle/index.ts';
import type { TrafficFindings } from '../../suites/watch/index.ts';
import { EMPTY_PLAN } from '../../suites/verify/index.ts';
import type { TrafficTarget } from '../shared/configuration/traffic-target.ts';
import { packageVersion } from '../library/version.ts';
import type { Baseline } from '../library/verify/baseline.ts';
import { buildReport } from '../library/verify/report.ts';

export interface TrafficReportOptions {
  readonly base: string;
  readonly keys: TrafficTarget['keys'];
  readonly level: 'must' | 'should';
  /** What decides; the newest set by default. */
  readonly requirementSet?: RequirementSet;
  readonly baseline: Baseline;
  readonly startedAt: Date;
  readonly durationSeconds: number;
  readonly unseen: Pick<ReportedTraffic, 'notSampled' | 'overload' | 'upgraded' | 'cutOff'>;
  readonly problems: readonly string[];
}

const NOT_SHOWN = 'No exchange of the traffic could show it.';

function explained(judgement: Judgement): Judgement {
  return judgement.outcome === 'skipped' ? { ...judgement, reason: NOT_SHOWN } : judgement;
}

/** The report on traffic that others made. What it did not show is skipped; the verdict is about the rest. */
export function buildTrafficReport(findings: TrafficFindings, options: TrafficReportOptions): VerifyReport {
  const {
    base,
    keys,
    level,
    requirementSet = LATEST_SET,
    baseline,
    startedAt,
    durationSeconds,
    unseen,
    problems,
  } = options;
  const { judgements, observations, exchanges, others, withoutBody, unanswered } = findings;
  return buildReport(
    {
      preflight: { state: 'planned' },
      plan: EMPTY_PLAN,
      judgements: judgements.map(explained),
      observations,
      checks: [],
      exploration: null,
      spent: { total: 0, byKey: {} },
      problems: exchanges === 0 ? [...problems, `No request of the traffic went to ${base}.`] : problems,
      interrupted: false,
      stopped: false,
      bailed: false,
      startedAt,
      durationSeconds,
    },
    {
      config: {
        target: base,
        keys,
        revokedKeys: [],
        control: null,
        pets: { existing: [], missing: null },
        profile: 'safe',
        load: { scenarios: [] },
      },
      level,
      requirementSet,
      selection: null,
      baseline,
      version: packageVersion(),
      traffic: { exchanges, others, withoutBody, unanswered, ...unseen },
    },
  );
}
