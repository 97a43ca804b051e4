import { findRequirement } from '../../contract/requirements.ts';
import { startReferenceServer } from '../../reference-server/start.ts';
import type { TrialOutcome, TrialResult } from '../../reports/kill-matrix.ts';
import { reasonOf, type VerifyReport } from '../../reports/report.ts';
import { runSuite } from '../../suites/run.ts';
import { resolveTargetConfig } from '../../suites/target-config.ts';
import { describeReferenceServer } from '../embedded-target.ts';
import { buildReport } from '../verify-report.ts';
import { packageVersion } from '../version.ts';
import type { Trial } from './trial.ts';

// Longer than any stall of a busy machine.
const TIMEOUT_MILLISECONDS = 30_000;
const BAN_WAIT_SECONDS = 120;

/** Starts the server of a trial, runs the whole suite against it with the control contract, and stops it. */
export async function judgeTrial(trial: Trial, signal: AbortSignal): Promise<TrialResult> {
  const { variants, fault } = trial;
  const started = performance.now();
  const server = await startReferenceServer({
    alterations: [...variants.map(({ alter }) => alter), ...(fault === null ? [] : [fault.alter])],
    graceMilliseconds: 0,
  });
  try {
    const config = resolveTargetConfig({ ...describeReferenceServer(server), profile: 'full' });
    const result = await runSuite({
      config,
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
      selection: null,
      baseline: new Map(),
      version: packageVersion(),
    });
    return {
      variants: variants.map(({ id, title }) => ({ id, title })),
      fault: fault === null ? null : { id: fault.id, title: fault.title, breaks: fault.breaks },
      outcome: outcomeOf(trial, report),
      verdict: report.verdict,
      failed: mustsOf(report, 'fail').map(({ id, message }) => ({ id, message })),
      undecided: mustsOf(report, 'inconclusive').map(({ id, message }) => ({ id, reason: message })),
      requests: result.spent.total,
      durationSeconds: (performance.now() - started) / 1_000,
    };
  } finally {
    await server.close();
  }
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
