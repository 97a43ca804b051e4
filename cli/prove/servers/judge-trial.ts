import { findRequirement } from '../../../contract/requirements/index.ts';
import { startReferenceServer } from '../../../reference-server/index.ts';
import { type TrialOutcome, type TrialResult, reasonOf, type VerifyReport } from '../../../reports/index.ts';
import {
  mayJudge,
  CHECKS,
  EARLY_REFUSAL_FAILS,
  runSuite,
  type RunResult,
  readSelection,
  type Selection,
} from '../../../suites/verify/index.ts';
import { MONITORS } from '../../../suites/oracle/index.ts';
import { PROFILES, type Profile } from '../../../contract/verdict.ts';
import { resolveTargetConfig } from '../../../suites/target/index.ts';
import { describeReferenceServer } from '../../shared/embedded/embedded-target.ts';
import { buildReport } from '../../verify/report.ts';
import { packageVersion } from '../../shared/version.ts';
import type { Trial } from './trials.ts';

// Longer than any stall of a busy machine.
const TIMEOUT_MILLISECONDS = 30_000;
const BAN_WAIT_SECONDS = 120;

/** What of the suite a trial is judged with. */
export interface Extent {
  /** The only profile to judge in; `null` for as many as it takes. */
  readonly profile: Profile | null;
  /** A fault is judged as `--only` the requirement that it breaks does. */
  readonly onlyOwn: boolean;
  /** The run against a fault begins with what judges the requirement that it breaks, and ends when that has failed. */
  readonly bail: boolean;
}

/** Judges the server of a trial in the first profile that catches its fault, or in `full`. */
export async function judgeTrial(trial: Trial, extent: Extent, signal: AbortSignal): Promise<TrialResult> {
  let profiles: readonly Profile[] = extent.profile === null ? profilesFor(trial) : [extent.profile];
  const only = extent.onlyOwn && trial.fault !== null ? [trial.fault.breaks] : [];
  const selection = readSelection(only, '--only-own');
  for (;;) {
    const [smallest = 'full', ...larger] = profiles;
    const result = await judgeInProfile(trial, smallest, { selection, bail: extent.bail, signal });
    if (result.outcome === 'caught' || larger.length === 0) {
      return result;
    }
    profiles = larger;
  }
}

/** The profiles in which a check or a monitor judges what the fault breaks, the smallest first, and `full`. */
function profilesFor({ fault }: Trial): readonly Profile[] {
  if (fault === null) {
    return ['full'];
  }
  const profiles = [
    ...CHECKS.filter((check) => mayJudge(check, fault.breaks)).map(({ needs }) => needs.profile),
    ...MONITORS.filter(({ judges }) => judges.includes(fault.breaks)).map(() => 'safe' as const),
  ];
  const first = Math.min(...profiles.map((profile) => PROFILES.indexOf(profile)));
  return PROFILES.filter((profile, index) => index >= first || profile === 'full');
}

/** Starts the server of a trial, runs the suite against it with the control contract, and stops it. */
async function judgeInProfile(
  trial: Trial,
  profile: Profile,
  {
    selection,
    bail,
    signal,
  }: { readonly selection: Selection | null; readonly bail: boolean; readonly signal: AbortSignal },
): Promise<TrialResult> {
  const { variants, fault } = trial;
  const started = performance.now();
  const server = await startReferenceServer({
    alterations: [...variants.map(({ alter }) => alter), ...(fault === null ? [] : [fault.alter])],
    graceMilliseconds: 0,
  });
  try {
    const config = resolveTargetConfig({ ...describeReferenceServer(server), profile });
    const result = await runSuite({
      config,
      ...(selection === null ? {} : { selects: selection.check }),
      ...(fault === null || !bail
        ? {}
        : { bail: (id) => id === fault.breaks, goesFirst: (check) => mayJudge(check, fault.breaks) }),
      long: false,
      banWaitSeconds: BAN_WAIT_SECONDS,
      transport: { timeoutMilliseconds: TIMEOUT_MILLISECONDS, insecure: false, certificateAuthority: null },
      headers: [],
      dryRun: false,
      signal,
      listener: {},
    });
    const report = buildReport(result, {
      config,
      level: 'must',
      selection,
      baseline: new Map(),
      version: packageVersion(),
    });
    return {
      variants: variants.map(({ id, title }) => ({ id, title })),
      fault: fault === null ? null : { id: fault.id, title: fault.title, breaks: fault.breaks },
      profile,
      outcome: outcomeOf(trial, report),
      verdict: report.verdict,
      failed: mustsOf(report, 'fail').map(({ id, message }) => ({ id, message })),
      undecided: mustsOf(report, 'inconclusive').map(({ id, message }) => ({ id, reason: message })),
      undeclared: findUndeclared(result),
      requests: result.spent.total,
      durationSeconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await server.close();
  }
}

/** A selection goes by what checks say that they judge, so none may judge anything else. */
function findUndeclared({ judgements }: RunResult): TrialResult['undeclared'] {
  return judgements
    .filter(({ id }) => !EARLY_REFUSAL_FAILS.some((failing) => failing === id))
    .flatMap(({ id, judgedBy }) =>
      CHECKS.filter((check) => judgedBy.includes(check.id) && !mayJudge(check, id)).map((check) => ({
        check: check.id,
        id,
      })),
    );
}

function outcomeOf({ fault }: Trial, report: VerifyReport): TrialOutcome {
  if (fault === null) {
    const outcomes = { conformant: 'clean', nonconformant: 'accused', inconclusive: 'undecided' } as const;
    return outcomes[report.verdict];
  }
  if (report.requirements.some(({ id, outcome }) => id === fault.breaks && outcome === 'fail')) {
    return 'caught';
  }
  return report.verdict === 'nonconformant' ? 'elsewhere' : 'missed';
}

function mustsOf(report: VerifyReport, outcome: 'fail' | 'inconclusive') {
  return report.requirements.flatMap((row) => {
    const id = findRequirement(row.id)?.id;
    return row.level === 'must' && row.outcome === outcome && id !== undefined
      ? [{ id, message: outcome === 'fail' ? (row.findings[0]?.message ?? '') : reasonOf(row) }]
      : [];
  });
}
