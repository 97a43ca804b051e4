import { requirement } from '../../contract/requirements/index.ts';
import { trailCheck, type Selection } from '../../suites/verify/index.ts';
import { judgeTarget } from '../library/verify/judge-target.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { openEventLog } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/transport.ts';
import { withEvents } from '../verify/events.ts';
import { showVerifyProgress } from '../verify/progress.ts';
import { provideTarget, type ProvidedTarget } from '../verify/provide-target.ts';
import type { ReplayOptions } from './options.ts';

const BAN_WAIT_SECONDS = 120;

/** Sends the trail of a finding again, and judges the requirement that it violated. @returns the exit code */
export async function runReplay(options: ReplayOptions): Promise<number> {
  const { finding, attempts, config, profile } = options;
  const { requirement: id } = finding;
  const trail = { ...finding.trail, attempts: attempts ?? finding.trail.attempts };
  const selection: Selection = {
    words: [`--finding ${finding.id}`],
    requirement: (one) => one === id,
    check: () => true,
  };
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
      const judged = await judgeTarget({
        config: target.config,
        embedded: config === null,
        selection,
        checks: [trailCheck(trail, id)],
        level: requirement(id).level === 'should' ? 'should' : 'must',
        baseline: new Map(),
        long: true,
        bail: false,
        dryRun: false,
        banWaitSeconds: BAN_WAIT_SECONDS,
        transport: transportOf(options),
        headers: options.header,
        signal,
        listener: withEvents(progress, events),
      });
      progress.stop();
      if (judged.state === 'planned') {
        throw new Error('A replay that is no dry run has only been planned.');
      }
      // How many faults the one trail could have shown says nothing.
      const { power: _power, fingerprint: _fingerprint, ...report } = judged.report;
      return await finishRun(report, options, { interrupted: judged.interrupted, events });
    } finally {
      progress.stop();
      events.close();
      await target?.close();
    }
  });
}
