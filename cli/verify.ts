import { addressText } from '../reports/subject-text.ts';
import { renderVerdict } from '../reports/terminal.ts';
import type { Check } from '../suites/check.ts';
import { runSuite, type RunPlan, type RunResult } from '../suites/run.ts';
import { createRedactor } from '../suites/redaction.ts';
import { readSelection } from '../suites/selection.ts';
import type { TargetConfig } from '../suites/target-config.ts';
import { readBaseline } from './baseline.ts';
import { wantsColor } from './color.ts';
import { INTERRUPTED, UNWRITABLE } from './exit-codes.ts';
import { listenForInterruption } from './interruption.ts';
import { openTarget, type OpenTarget } from './open-target.ts';
import type { VerifyOptions } from './options/verify-options.ts';
import { describeBudget, showProgress } from './progress.ts';
import type { Repetition } from './repeat-line.ts';
import { textOutput } from './text-output.ts';
import { buildReport } from './verify-report.ts';
import { redactReport } from './redacted-report.ts';
import { transportOf } from './transport.ts';
import { packageVersion } from './version.ts';
import { warn } from './warn.ts';
import { writeReports } from './write-reports.ts';

const EXIT_CODES = { conformant: 0, nonconformant: 1, inconclusive: 3 } as const;

/** Judges a target, or the embedded reference server, and returns the exit code. */
export async function runVerify(options: VerifyOptions, repetition: Repetition): Promise<number> {
  const selection = readSelection(options.only, '--only');
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  const progress = showProgress({
    quiet: options.quiet,
    color: wantsColor(process.stderr, process.env),
    stream: process.stderr,
  });
  warn(options.warnings);
  const interruption = listenForInterruption(() =>
    progress.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.'),
  );
  const text = textOutput(options, options.json);
  const redactor = createRedactor();
  let target: OpenTarget | undefined;
  try {
    target = await openTarget(options, { signal: interruption.signal, note: progress.note });
    const { config } = target;
    const result = await runSuite({
      config,
      ...(selection === null ? {} : { selects: selection.check }),
      long: options.long,
      banWaitSeconds: options.banWaitSeconds,
      transport: transportOf(options),
      headers: options.headers,
      curlOptions: repetition.curlOptions,
      dryRun: options.dryRun,
      signal: interruption.signal,
      listener: progress,
      redactor,
    });
    progress.stop();
    if (result.preflight.state === 'planned') {
      text.write(`${describeDryRun(result, config, options.config === null)}\n`);
      return 0;
    }
    const built = buildReport(result, {
      config,
      embedded: options.config === null,
      level: options.level,
      selection,
      baseline,
      repetition,
      version: packageVersion(),
    });
    const report = redactReport(built, redactor.redact);
    const { paths, problem } = await writeReports(report, options);
    text.write(renderVerdict(report, { color: text.color, reportPaths: paths }));
    if (problem !== null) {
      process.stderr.write(`stockcheck: ${problem}\n`);
      return UNWRITABLE;
    }
    return result.interrupted ? INTERRUPTED : EXIT_CODES[report.verdict];
  } catch (error) {
    if (interruption.signal.aborted) {
      return INTERRUPTED;
    }
    throw error;
  } finally {
    progress.stop();
    await target?.close();
    interruption.release();
  }
}

function describeDryRun({ plan }: RunResult, config: TargetConfig, embedded: boolean): string {
  return [
    `Dry run of profile ${config.profile} against ${addressText({ url: config.target, embedded })}; nothing was sent to it.`,
    ...describeBudget(plan),
    `Checks: ${plan.checks.map((check) => describeCheck(check, plan)).join(', ')}`,
    ...plan.skipped.map(({ check, reason }) => `Left out: ${check.id}. ${reason}`),
  ].join('\n');
}

function describeCheck(check: Check, { broughtAlong }: RunPlan): string {
  return broughtAlong.has(check) ? `${check.id} (others need it)` : check.id;
}
