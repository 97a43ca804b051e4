import { EXPLORE } from '../../contract/verdict.ts';
import { addressText } from '../../reports/index.ts';
import { type Check, type RunPlan, readSelection } from '../../suites/verify/index.ts';
import { recordTranscript, type TargetConfig } from '../../suites/target/index.ts';
import { runWithProgress } from '../shared/interruption.ts';
import { warnOfVariables } from '../shared/configuration/configuration.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { openEventLog, withEvents } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { provideTarget, type ProvidedTarget } from './provide-target.ts';
import { REPEATED_VERIFY_OPTIONS } from './command.ts';
import { readHarOptions, readVerifyOptions, type VerifyOptions } from './options.ts';
import { describeBudget, INTERRUPTION, showVerifyProgress } from './progress.ts';
import { selectLastFailed } from './last-failed.ts';
import type { Repetition } from '../library/repetition.ts';
import { transcriptEnd, transcriptHeader } from '../library/certificate/transcript-header.ts';
import { readRepetition } from '../shared/output/repeat-line.ts';
import { writeRecords } from '../shared/output/written-files.ts';
import { judgeTarget, planTarget, type JudgeTargetOptions } from '../library/verify/judge-target.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/options/shared-options.ts';

/** Judges a target, or the embedded reference server, and returns the exit code. */
export async function runVerify({ operands: [target], flags, surroundings }: CommandCall): Promise<number> {
  warnOfVariables(flags, surroundings);
  if (flags['har'] !== undefined) {
    const { judgeHar } = await import('./traffic.ts');
    return judgeHar(readHarOptions(target, flags, surroundings));
  }
  const options = readVerifyOptions(target, flags, surroundings);
  const repetition = readRepetition('verify', target, REPEATED_VERIFY_OPTIONS, flags);
  warn(options.warnings);
  const progress = showVerifyProgress(options.quiet);
  return runWithProgress(progress, INTERRUPTION, (signal) => judge(options, repetition, signal, progress));
}

async function judge(
  options: VerifyOptions,
  repetition: Repetition,
  signal: AbortSignal,
  progress: ReturnType<typeof showVerifyProgress>,
): Promise<number> {
  const asked = { selection: readSelection(options.only, '--only'), level: options.level };
  const { selection, notice } =
    options.lastFailed === null
      ? { selection: asked.selection, notice: null }
      : selectLastFailed(options.lastFailed, asked);
  if (notice !== null) {
    progress.note(notice);
  }
  const events = openEventLog(options.events);
  let target: ProvidedTarget | undefined;
  try {
    target = await provideTarget(options, { signal, note: progress.note });
    const { config } = target;
    const { level, baseline, long, bail, exploration, dryRun } = options;
    events.emit({ event: 'run-start', command: 'verify' });
    const isRecorded = options.certificate !== null || options.history !== null;
    const transcript = isRecorded ? recordTranscript() : undefined;
    const embedded = options.config === null;
    const order: JudgeTargetOptions = {
      config,
      embedded,
      selection,
      level,
      requirementSet: options.requirements,
      baseline,
      repetition,
      long,
      bail,
      shrinks: true,
      ...(exploration === null ? {} : { explore: exploration }),
      banWaitSeconds: options.banWait,
      transport: transportOf(options),
      headers: options.header,
      signal,
      ...(transcript === undefined ? {} : { transcript }),
      listener: withEvents(progress, events),
    };
    const judged = dryRun ? await planTarget(order) : await judgeTarget(order);
    progress.stop();
    if ('plan' in judged) {
      textOutput(options).write(`${describeDryRun(judged.plan, config, embedded)}\n`);
      return 0;
    }
    const { report, interrupted } = judged;
    const exitCode = await finishRun(report, options, { interrupted, events });
    if (transcript !== undefined) {
      await writeRecords(options, interrupted, {
        report,
        history: () => transcript.finish(transcriptHeader({ report }), transcriptEnd({ report })),
        artifacts: target.image === null ? [] : [target.image],
      });
    }
    return exitCode;
  } finally {
    await target?.close();
  }
}

function describeDryRun(plan: RunPlan, config: TargetConfig, embedded: boolean): string {
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
