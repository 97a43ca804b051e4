import { addressText, renderVerdict } from '../../reports/index.ts';
import {
  type Check,
  runSuite,
  type RunPlan,
  type RunResult,
  readSelection,
} from '../../suites/verify/index.ts';
import { createRedactor, type TargetConfig } from '../../suites/target/index.ts';
import { readBaseline } from './baseline.ts';
import { wantsColor } from '../shared/output/color.ts';
import { EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../shared/exit-codes.ts';
import { listenForInterruption } from '../shared/interruption.ts';
import { provideTarget, type ProvidedTarget } from './provide-target.ts';
import type { VerifyOptions } from './options.ts';
import { describeBudget, showProgress } from './progress.ts';
import type { Repetition } from '../shared/output/repeat-line.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { buildReport } from './report.ts';
import { redactReport } from '../shared/output/redacted-report.ts';
import { transportOf } from '../shared/transport.ts';
import { packageVersion } from '../shared/version.ts';
import { writeReports } from '../shared/output/write-reports.ts';

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
  let target: ProvidedTarget | undefined;
  try {
    target = await provideTarget(options, { signal: interruption.signal, note: progress.note });
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
      return EXIT_UNWRITABLE;
    }
    return result.interrupted ? EXIT_INTERRUPTED : EXIT_CODES[report.verdict];
  } catch (error) {
    if (interruption.signal.aborted) {
      return EXIT_INTERRUPTED;
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
