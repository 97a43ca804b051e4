import { requirement } from '../../contract/requirements/index.ts';
import type { VerifyReport } from '../../reports/index.ts';
import { CHECKS, trailCheck, wholeRunCheck, type Check, type Selection } from '../../suites/verify/index.ts';
import { judgeTarget, type JudgeTargetOptions } from '../library/verify/judge-target.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { openEventLog } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/transport.ts';
import { withEvents } from '../verify/events.ts';
import { showVerifyProgress } from '../verify/progress.ts';
import { provideTarget, type ProvidedTarget } from '../verify/provide-target.ts';
import type { ReplayOptions } from './options.ts';
import type { FindingToReplay } from './read-finding.ts';

const BAN_WAIT_SECONDS = 120;

/**
 * Sends the trail of a finding again, and judges the requirement that it violated; then the whole run, if the trail alone
 * does not show the fault and other checks may have had a part in it. If the answers do not tell, the check that found it
 * is performed instead. @returns the exit code
 */
export async function runReplay(options: ReplayOptions): Promise<number> {
  const { finding, attempts, config, profile } = options;
  const { requirement: id } = finding;
  const trail = { ...finding.trail, attempts: attempts ?? finding.trail.attempts };
  const first = checkItself(finding) ?? trailCheck(trail, id);
  const progress = showVerifyProgress(options.quiet);
  warn(options.warnings);
  const onInterruption = (): void =>
    progress.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.');
  return runInterruptibly({ onInterruption }, async (signal) => {
    const events = openEventLog(options.events);
    let target: ProvidedTarget | undefined;
    try {
      target = await provideTarget({ config, image: null, profile }, { signal, note: progress.note });
      events.emit({ event: 'run-start', command: 'replay' });
      const surroundings = { options, target, signal, listener: withEvents(progress, events) };
      let judged = await judgeCheck(first, surroundings);
      const whole = isShown(judged.report, id) || signal.aborted ? null : wholeRunOf(finding, target);
      if (whole !== null) {
        progress.note(
          'The trail alone did not show the fault. Other checks may have had a part in it, so what the whole run did until then is sent again.',
        );
        judged = await judgeCheck(whole, surroundings);
      }
      progress.stop();
      return await finishRun(judged.report, options, { interrupted: judged.interrupted, events });
    } finally {
      progress.stop();
      events.close();
      await target?.close();
    }
  });
}

interface ReplaySurroundings extends Pick<JudgeTargetOptions, 'signal' | 'listener'> {
  readonly options: ReplayOptions;
  readonly target: ProvidedTarget;
}

async function judgeCheck(check: Check, { options, target, signal, listener }: ReplaySurroundings) {
  const { finding, config } = options;
  const selection: Selection = {
    words: [`--finding ${finding.id}`],
    requirement: (one) => one === finding.requirement,
    check: (one) => one === check,
  };
  const judged = await judgeTarget({
    config: target.config,
    embedded: config === null,
    selection,
    checks: CHECKS.includes(check) ? CHECKS : [check],
    level: requirement(finding.requirement).level === 'should' ? 'should' : 'must',
    baseline: new Map(),
    long: true,
    bail: false,
    dryRun: false,
    banWaitSeconds: BAN_WAIT_SECONDS,
    transport: transportOf(options),
    headers: options.header,
    signal,
    listener,
  });
  if (judged.state === 'planned') {
    throw new Error('A replay that is no dry run has only been planned.');
  }
  // How many faults the one trail could have shown says nothing.
  const { power: _power, fingerprint: _fingerprint, ...report } = judged.report;
  return { report, interrupted: judged.interrupted };
}

function isShown({ requirements }: Pick<VerifyReport, 'requirements'>, id: string): boolean {
  return requirements.some((row) => row.id === id && row.outcome === 'fail');
}

/** The check that found it, if neither the answers nor the oracle tell whether the fault is there. */
function checkItself({ check, trail }: FindingToReplay): Check | null {
  const isTold = trail.expectation !== null || trail.isOracles === true;
  return isTold ? null : (CHECKS.find(({ id }) => id === check) ?? null);
}

/** It takes many keys, so that a control URL has to issue them. */
function wholeRunOf(finding: FindingToReplay, { config }: ProvidedTarget): Check | null {
  const { wholeRun, trail, requirement: id } = finding;
  return wholeRun === null ||
    trail.inWholeRun === undefined ||
    config.control === null ||
    checkItself(finding) !== null
    ? null
    : wholeRunCheck(wholeRun, trail.inWholeRun, trail, id);
}
