import { listedFailures, printableLine, reasonOf, type VerifyReport } from '../../reports/index.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import { judgeTarget } from '../library/verify/judge-target.ts';
import { openProgress } from '../shared/output/progress.ts';

const TIMEOUT_MILLISECONDS = 10_000;

/**
 * Judges a target with reads only, which changes nothing and uses up no limit.
 * @returns the report, or `null` if the run was interrupted
 */
export async function tryTarget(config: TargetConfig, signal: AbortSignal): Promise<VerifyReport | null> {
  const progress = openProgress({ quiet: false });
  progress.show('Trying it in profile safe');
  try {
    const { report, interrupted } = await judgeTarget({
      config: { ...config, profile: 'safe' },
      selection: null,
      level: 'must',
      long: false,
      banWaitSeconds: 0,
      transport: { timeoutMilliseconds: TIMEOUT_MILLISECONDS, insecure: false, certificateAuthority: null },
      headers: [],
      signal,
      listener: {},
    });
    return interrupted ? null : report;
  } finally {
    progress.stop();
  }
}

const MOST_NAMED = 5;

/** What was found, in some lines: the verdict with its scope, and what failed or stands in the way. */
export function describeFound(report: VerifyReport): readonly string[] {
  const failures = listedFailures(report).filter(({ row }) => row.level === 'must');
  const open = report.requirements.filter(
    ({ outcome, level }) => outcome === 'inconclusive' && level === 'must',
  );
  const named = failures.slice(0, MOST_NAMED);
  return [
    printableLine(report.scope),
    ...report.problems.map((problem) => printableLine(problem)),
    ...named.map(({ row }) => `${row.id}: ${printableLine(row.findings[0]?.message ?? row.title)}`),
    ...(failures.length > named.length ? [`and ${failures.length - named.length} more failures`] : []),
    ...open.slice(0, MOST_NAMED).map((row) => `${row.id} is open: ${printableLine(reasonOf(row))}`),
  ];
}
