import { addressText } from '../../reports/index.ts';
import {
  type Check,
  EXPLORE,
  type RunPlan,
  type RunResult,
  readSelection,
} from '../../suites/verify/index.ts';
import type { TargetConfig } from '../../suites/target/index.ts';
import { readBaseline } from './baseline.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { openEventLog } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { provideTarget, type ProvidedTarget } from './provide-target.ts';
import type { VerifyOptions } from './options.ts';
import { withEvents } from './events.ts';
import { describeBudget, showVerifyProgress } from './progress.ts';
import { selectLastFailed } from './rerun/last-failed.ts';
import { openAfter } from './rerun/open-requirements.ts';
import { recallRun, rememberRun, targetIdentity } from './rerun/remembered-run.ts';
import type { Repetition } from '../library/repetition.ts';
import { judgeTarget } from '../library/verify/judge-target.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/transport.ts';

/** Judges a target, or the embedded reference server, and returns the exit code. */
export async function runVerify(options: VerifyOptions, repetition: Repetition): Promise<number> {
  const asked = { selection: readSelection(options.only, '--only'), level: options.level };
  const identity = targetIdentity(options);
  const { selection, notice } =
    options.lastFailed === null
      ? { selection: asked.selection, notice: null }
      : selectLastFailed(options.lastFailed, identity, asked);
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  const progress = showVerifyProgress(options.quiet);
  warn(options.warnings);
  if (notice !== null) {
    progress.note(notice);
  }
  const onInterruption = (): void =>
    progress.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.');
  return runInterruptibly({ onInterruption }, async (signal) => {
    const events = openEventLog(options.events);
    let target: ProvidedTarget | undefined;
    try {
      target = await provideTarget(options, { signal, note: progress.note });
      const { config } = target;
      const { level, long, bail, exploration, dryRun } = options;
      events.emit({ event: 'run-start', command: 'verify' });
      const embedded = options.config === null;
      const judged = await judgeTarget({
        config,
        embedded,
        selection,
        level,
        baseline,
        repetition,
        long,
        bail,
        dryRun,
        ...(exploration === null ? {} : { explore: exploration }),
        banWaitSeconds: options.banWait,
        transport: transportOf(options),
        headers: options.header,
        signal,
        listener: withEvents(progress, events),
      });
      progress.stop();
      if (judged.state === 'planned') {
        textOutput(options).write(`${describeDryRun(judged.result, config, embedded)}\n`);
        return 0;
      }
      const open = openAfter(recallRun(identity)?.open ?? [], judged.report);
      rememberRun(identity, { endedAt: new Date().toISOString(), open });
      return await finishRun(judged.report, options, { interrupted: judged.interrupted, events });
    } finally {
      progress.stop();
      events.close();
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
