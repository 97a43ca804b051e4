import { EXPLORE } from '../../contract/verdict.ts';
import { addressText, renderChanges, type AnyReport, type VerifyReport } from '../../reports/index.ts';
import { type Check, type RunPlan, type RunResult, readSelection } from '../../suites/verify/index.ts';
import { recordTranscript, stateDirectories, type TargetConfig } from '../../suites/target/index.ts';
import { readBaseline } from './baseline.ts';
import { EXIT_INTERRUPTED } from '../shared/exit-codes.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { openEventLog } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { provideTarget, type ProvidedTarget } from './provide-target.ts';
import type { VerifyOptions } from './options.ts';
import { withEvents } from './events.ts';
import { describeBudget, showVerifyProgress } from './progress.ts';
import { selectLastFailed } from './rerun/last-failed.ts';
import { openAfter, withEarlier } from './rerun/open-requirements.ts';
import { recallRun, rememberRun, targetIdentity } from './rerun/remembered-run.ts';
import type { Round } from './rerun/watch.ts';
import type { Repetition } from '../library/repetition.ts';
import { attestTarget } from '../library/certificate/attest.ts';
import { noteWithoutCertificate, writeCertificate } from '../shared/output/write-certificate.ts';
import { judgeTarget } from '../library/verify/judge-target.ts';
import { openProgress } from '../shared/output/progress.ts';
import { textOutput, warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/transport.ts';

/** Judges a target, or the embedded reference server, once or again and again, and returns the exit code. */
export async function runVerify(options: VerifyOptions, repetition: Repetition): Promise<number> {
  warn(options.warnings);
  let progress: VerifyProgress | null = null;
  const onInterruption = (): void =>
    progress?.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.');
  let previous: VerifyReport | null = null;
  const round = async (signal: AbortSignal, isStale: () => boolean): Promise<JudgedRound> => {
    progress = showVerifyProgress(options.quiet);
    try {
      const judged = await judgeOnce(options, { repetition, signal, progress, isStale, previous });
      previous = judged.report ?? previous;
      return judged;
    } finally {
      progress.stop();
      progress = null;
    }
  };
  const { watch, config, image } = options;
  if (watch === null) {
    return runInterruptibly(
      { onInterruption },
      async (signal) => (await round(signal, () => false)).exitCode,
    );
  }
  const { runOnChanges } = await import('./rerun/watch.ts');
  const { untilAnswering } = await import('./rerun/until-answering.ts');
  const note = (text: string): void => openProgress(options).note(text);
  return runInterruptibly({ onInterruption }, (signal) =>
    runOnChanges({
      files: { paths: watch, written: writtenFiles(options) },
      ready: async (either) =>
        config === null || image !== null
          ? undefined
          : untilAnswering(config.target, transportOf(options), {
              signal: either,
              onWait: () => note(`Waiting for ${addressText({ url: config.target })} to answer.`),
            }),
      round,
      note,
      signal,
    }),
  );
}

/** What a run writes that may lie in a folder that is watched. */
function writtenFiles({ json, report, events, format }: VerifyOptions): readonly string[] {
  const files = [json, report, events, ...format.map(({ path }) => path)];
  return [...files.filter((path) => path !== null), ...stateDirectories(), 'gl-code-quality-report.json'];
}

type VerifyProgress = ReturnType<typeof showVerifyProgress>;

interface JudgedRound extends Round {
  /** With what is known from earlier runs of requirements that this one did not judge; `null` if it was cut short. */
  readonly report: VerifyReport | null;
}

interface RoundSurroundings {
  readonly repetition: Repetition;
  readonly signal: AbortSignal;
  readonly progress: VerifyProgress;
  /** Whether the run was ended because another one follows at once. */
  readonly isStale: () => boolean;
  /** Of the run before, if there was one: only what changed since is shown. */
  readonly previous: VerifyReport | null;
}

async function judgeOnce(options: VerifyOptions, surroundings: RoundSurroundings): Promise<JudgedRound> {
  const { repetition, signal, progress, isStale, previous } = surroundings;
  const asked = { selection: readSelection(options.only, '--only'), level: options.level };
  const identity = targetIdentity(options);
  const { selection, notice } =
    options.lastFailed === null
      ? { selection: asked.selection, notice: null }
      : selectLastFailed(options.lastFailed, identity, asked);
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  if (notice !== null) {
    progress.note(notice);
  }
  const events = openEventLog(options.events);
  let target: ProvidedTarget | undefined;
  try {
    target = await provideTarget(options, { signal, note: progress.note });
    const { config } = target;
    const { level, long, bail, exploration, dryRun } = options;
    events.emit({ event: 'run-start', command: 'verify' });
    const transcript = options.certificate === null ? undefined : recordTranscript();
    const embedded = options.config === null;
    const judged = await judgeTarget({
      config,
      embedded,
      selection,
      level,
      requirementSet: options.requirements,
      baseline,
      repetition,
      tellsWholeRun: options.report !== null,
      long,
      bail,
      dryRun,
      ...(exploration === null ? {} : { explore: exploration }),
      banWaitSeconds: options.banWait,
      transport: transportOf(options),
      headers: options.header,
      signal,
      ...(transcript === undefined ? {} : { transcript }),
      listener: withEvents(progress, events),
    });
    progress.stop();
    if (judged.state === 'planned') {
      textOutput(options).write(`${describeDryRun(judged.result, config, embedded)}\n`);
      return { exitCode: 0, isGone: false, report: null };
    }
    const { interrupted, isGone } = judged;
    if (isStale()) {
      return { exitCode: EXIT_INTERRUPTED, isGone, report: null };
    }
    const open = openAfter(recallRun(identity)?.open ?? [], judged.report);
    rememberRun(identity, { endedAt: new Date().toISOString(), open });
    const report = previous === null ? judged.report : withEarlier(previous, judged.report);
    const wording =
      previous === null
        ? {}
        : {
            wording: (_: AnyReport, reportPaths: readonly string[], color: boolean) =>
              renderChanges(previous, report, { color, reportPaths }),
          };
    const exitCode = await finishRun(judged.report, options, { interrupted, events, ...wording });
    if (interrupted) {
      noteWithoutCertificate(options.certificate);
    } else if (transcript !== undefined && options.certificate !== null) {
      const artifacts = target.image === null ? [] : [target.image];
      const signed = attestTarget(judged.report, transcript, { ...options.certificate, artifacts });
      await writeCertificate(options.certificate, signed, options);
    }
    return { exitCode, isGone, report };
  } finally {
    events.close();
    await target?.close();
  }
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
