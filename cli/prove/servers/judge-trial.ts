import { findRequirement } from '../../../contract/requirements/index.ts';
import { type Fault, startReferenceServer } from '../../../reference-server/index.ts';
import { type TrialOutcome, type TrialResult, reasonOf, type VerifyReport } from '../../../reports/index.ts';
import { type Check, mayJudge, CHECKS, type RunResult } from '../../../suites/verify/index.ts';
import { MONITORS } from '../../../suites/oracle/index.ts';
import { PROFILES, type Profile } from '../../../contract/verdict.ts';
import {
  judgeReferenceServer,
  type ReferenceServerRun,
} from '../../library/verify/judge-reference-server.ts';
import { KNOWN_FAULTS, PREFLIGHT } from '../../library/verify/power.ts';
import type { ProveOptions } from '../options.ts';
import type { Trial } from './trials.ts';

// Longer than any stall of a busy machine.
const TRANSPORT = { timeoutMilliseconds: 30_000, insecure: false, certificateAuthority: null };

/**
 * What of the suite a trial is judged with. With `bail`, a first run begins with the checks that judge what the fault breaks, in
 * `full`, since what a smaller profile would miss would be a whole run there.
 */
export type Extent = Pick<ProveOptions, 'profile' | 'bail' | 'by' | 'realTimeKeys' | 'exploration'>;

/** Judges the server of a trial by the requests of the checks, or by random sequences. */
export function judgeTrial(trial: Trial, extent: Extent, signal: AbortSignal): Promise<TrialResult> {
  return (extent.by === 'explore' ? exploreTrial : judgeByChecks)(trial, extent, signal);
}

/** Plays random sequences against the server of a trial, until they show its fault. */
function exploreTrial(trial: Trial, { exploration }: Extent, signal: AbortSignal): Promise<TrialResult> {
  const until = trial.fault === null ? [] : [trial.fault.breaks];
  const explore = { ...exploration, shrinking: exploration.requests, until };
  const order = { profile: 'full', selects: () => false, explore, shrinks: true } as const;
  return judgeInProfile(trial, { ...order, signal });
}

/** What sent the requests that showed the fault. */
function sendersOf(report: VerifyReport, fault: Trial['fault']): readonly string[] {
  const findings = report.requirements.find(({ id }) => id === fault?.breaks)?.findings ?? [];
  return [...new Set(findings.map(({ check }) => check ?? PREFLIGHT))].toSorted();
}

/** Judges the server of a trial in the first profile that catches its fault, or in `full`. */
async function judgeByChecks(trial: Trial, extent: Extent, signal: AbortSignal): Promise<TrialResult> {
  const { bail, realTimeKeys } = extent;
  const judge = (profile: Profile, order: Partial<TrialRun> = {}): Promise<TrialResult> =>
    judgeInProfile(trial, {
      profile,
      plans: realTimeKeys,
      shrinks: false,
      signal,
      ...order,
    });
  if (bail && trial.fault !== null) {
    const { breaks } = trial.fault;
    const order = { bail: (id: string) => id === breaks, rankOf: likelyToShow(trial.fault) };
    const result = await judge(extent.profile ?? 'full', order);
    if (result.outcome === 'caught') {
      return result;
    }
    // Some faults show only if all checks are side by side, and some of what fails at first follows from what is seen later.
  }
  let profiles: readonly Profile[] = extent.profile === null ? profilesFor(trial) : [extent.profile];
  for (;;) {
    const [smallest = 'full', ...larger] = profiles;
    const result = await judge(smallest);
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

/** The checks that may show a fault, those first that are known to; what a monitor judges may show in any. */
function likelyToShow({ id, breaks }: Fault): (check: Check) => number | null {
  // With control some have shown it only beside others, which a run without control did by themselves.
  const { withControl = [], withoutControl = [] } = KNOWN_FAULTS[id] ?? {};
  const known = new Set([...withControl, ...withoutControl]);
  const isMonitored = MONITORS.some(({ judges }) => judges.includes(breaks));
  return (check) => (known.has(check.id) ? 0 : isMonitored || mayJudge(check, breaks) ? 1 : null);
}

type TrialRun = Omit<ReferenceServerRun, 'transport'>;

/** Starts the server of a trial, runs the suite against it, and stops it. Without `plans` it has the control contract. */
async function judgeInProfile(trial: Trial, run: TrialRun): Promise<TrialResult> {
  const { variants, fault } = trial;
  const started = performance.now();
  const server = await startReferenceServer({
    alterations: [...variants.map(({ alter }) => alter), ...(fault === null ? [] : [fault.alter])],
    graceMilliseconds: 0,
  });
  try {
    const { url, controlUrl } = server;
    const address = { url, controlUrl: (run.plans ?? null) === null ? controlUrl : '' };
    const { result, report } = await judgeReferenceServer(address, {
      ...run,
      transport: { ...TRANSPORT, timeoutMilliseconds: fault?.patience ?? TRANSPORT.timeoutMilliseconds },
    });
    const outcome = outcomeOf(trial, report);
    return {
      variants: variants.map(({ id, title }) => ({ id, title })),
      fault: fault === null ? null : describeFault(fault),
      profile: run.profile,
      outcome,
      shownBy: outcome === 'caught' ? sendersOf(report, fault) : [],
      verdict: report.verdict,
      observed: fault === null ? report.observations : null,
      failed: mustsOf(report, 'fail').map(({ id, message }) => ({ id, message })),
      first: report.causes?.[0]?.requirement ?? null,
      undecided: mustsOf(report, 'inconclusive').map(({ id, message }) => ({ id, reason: message })),
      shrunkTo: lengthOf(fault, result),
      undeclared: findUndeclared(result),
      requests: result.spent.total,
      durationSeconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await server.close();
  }
}

function lengthOf(fault: Trial['fault'], { exploration }: RunResult): number | null {
  const found = exploration?.found.find(({ id }) => id === fault?.breaks);
  return found?.isRepeated === true ? found.requests : null;
}

function describeFault({ id, title, breaks, alsoBreaks }: Fault): TrialResult['fault'] {
  return { id, title, breaks, ...(alsoBreaks === undefined ? {} : { alsoBreaks }) };
}

/** A selection goes by what checks say that they judge, so none may judge anything else. */
function findUndeclared({ judgements }: RunResult): TrialResult['undeclared'] {
  return judgements.flatMap(({ id, judgedBy }) =>
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
