import { addressText } from '../../reports/index.ts';
import {
  type Check,
  EXPLORE,
  runSuite,
  type RunPlan,
  type RunResult,
  readSelection,
} from '../../suites/verify/index.ts';
import { createRedactor, type TargetConfig } from '../../suites/target/index.ts';
import { readBaseline } from './baseline.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { provideTarget, type ProvidedTarget } from './provide-target.ts';
import type { VerifyOptions } from './options.ts';
import { describeBudget, showVerifyProgress } from './progress.ts';
import type { Repetition } from '../shared/output/repeat-line.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { buildReport, isDecisive } from './report.ts';
import { transportOf } from '../shared/transport.ts';
import { packageVersion } from '../shared/version.ts';

/** Judges a target, or the embedded reference server, and returns the exit code. */
export async function runVerify(options: VerifyOptions, repetition: Repetition): Promise<number> {
  const selection = readSelection(options.only, '--only');
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  const progress = showVerifyProgress(options.quiet);
  warn(options.warnings);
  const onInterruption = (): void =>
    progress.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.');
  return runInterruptibly({ onInterruption }, async (signal) => {
    const redactor = createRedactor();
    let target: ProvidedTarget | undefined;
    try {
      target = await provideTarget(options, { signal, note: progress.note });
      const { config } = target;
      const embedded = options.config === null;
      const result = await runSuite({
        config,
        ...(selection === null ? {} : { selects: selection.check }),
        long: options.long,
        ...(options.exploration === null ? {} : { explore: options.exploration }),
        ...(options.bail ? { bail: (id) => isDecisive(id, { ...options, selection, baseline }) } : {}),
        banWaitSeconds: options.banWait,
        transport: transportOf(options),
        headers: options.header,
        curlOptions: repetition.curlOptions,
        dryRun: options.dryRun,
        signal,
        listener: progress,
        redactor,
      });
      progress.stop();
      if (result.preflight.state === 'planned') {
        textOutput(options).write(`${describeDryRun(result, config, embedded)}\n`);
        return 0;
      }
      const { level } = options;
      const version = packageVersion();
      const report = buildReport(result, {
        config,
        embedded,
        level,
        selection,
        baseline,
        repetition,
        version,
      });
      return await finishRun(report, options, {
        redact: redactor.redact,
        interrupted: result.interrupted,
      });
    } finally {
      progress.stop();
      await target?.close();
    }
  });
}

function describeDryRun({ plan }: RunResult, config: TargetConfig, embedded: boolean): string {
  return [
    `Dry run of profile ${config.profile} against ${addressText({ url: config.target, embedded })}; nothing was sent to it.`,
    ...describeBudget(plan),
    ...(plan.checks.length === 0
      ? []
      : [`Checks: ${plan.checks.map((check) => describeCheck(check, plan)).join(', ')}`]),
    ...plan.skipped.map(({ check, reason }) => `Left out: ${check.id}. ${reason}`),
    ...(plan.notExplored === null ? [] : [`Left out: ${EXPLORE}. ${plan.notExplored}`]),
  ].join('\n');
}

function describeCheck(check: Check, { broughtAlong }: RunPlan): string {
  return broughtAlong.has(check) ? `${check.id} (others need it)` : check.id;
}
