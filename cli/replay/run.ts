import { requirement } from '../../contract/requirements/index.ts';
import type { VerifyReport } from '../../reports/index.ts';
import { COUNTED_BY_KEY } from '../../suites/oracle/index.ts';
import {
  CHECKS,
  trailCheck,
  wholeRunCheck,
  type Check,
  type ExplorationOrder,
  type Selection,
} from '../../suites/verify/index.ts';
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
 * Sends the trail of a finding again, and judges the requirement that it violated. If the trail alone does not show the
 * fault, and other checks may have had a part in it, the whole run is sent again, and then all checks are performed, or
 * the same is explored again.
 * @returns the exit code
 */
export async function runReplay(options: ReplayOptions): Promise<number> {
  const { finding, config, profile } = options;
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
      let judged = await judge({ checks: [firstCheck(options)] }, surroundings);
      for (const { why, ...way } of otherWays(finding, target)) {
        if (outcomeOf(judged, finding) === 'fail' || signal.aborted) {
          break;
        }
        progress.note(why);
        const next = await judge(way, surroundings);
        // Where keys cannot be had, nothing is judged, which does not undo what the trail showed.
        const isJudged = ['pass', 'fail'].includes(outcomeOf(next, finding) ?? '');
        judged = isJudged || next.interrupted ? next : judged;
      }
      if (
        target.config.control === null &&
        finding.trail.inWholeRun !== undefined &&
        outcomeOf(judged, finding) === 'pass'
      ) {
        progress.note(`${ALONE} With --control URL, what the whole run did until then is sent as well.`);
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

/** The trail as a check; or the check that found it, if neither the answers nor the oracle tell whether the fault is there. */
function firstCheck({ finding, attempts }: ReplayOptions): Check {
  const { trail, requirement: id } = finding;
  return checkItself(finding) ?? trailCheck({ ...trail, attempts: attempts ?? trail.attempts }, id);
}

function checkItself({ check, trail }: FindingToReplay): Check | null {
  const isTold = trail.expectation !== null || trail.isOracles === true;
  return isTold ? null : (CHECKS.find(({ id }) => id === check) ?? null);
}

/** How a fault shows that the trail alone does not show. */
interface OtherWay {
  readonly checks: readonly Check[];
  readonly explore?: ExplorationOrder;
  /** A sentence or two for whoever waits. */
  readonly why: string;
}

/** They take many keys, so that a control URL has to issue them. */
function otherWays(finding: FindingToReplay, { config }: ProvidedTarget): readonly OtherWay[] {
  const { wholeRun, exploration, trail, requirement: id } = finding;
  const place = trail.inWholeRun;
  if (config.control === null) {
    return [];
  }
  const ways: OtherWay[] = [];
  if (place !== undefined && wholeRun !== null && checkItself(finding) === null) {
    ways.push({
      checks: [wholeRunCheck(wholeRun, place, id)],
      why: `${ALONE} So what the whole run did until then is sent again.`,
    });
  }
  if (exploration !== null) {
    ways.push({
      checks: [],
      explore: { ...exploration, shrinking: 0, until: [id] },
      why: 'That did not show the fault. What was explored before may have had a part in it, so the same is explored again.',
    });
  } else if (place !== undefined) {
    ways.push({
      checks: CHECKS,
      why: 'That did not show the fault. It may depend on which requests meet, so all checks are performed again.',
    });
  }
  return ways;
}

const ALONE = 'The trail alone did not show the fault. Other checks may have had a part in it.';

interface ReplaySurroundings extends Pick<JudgeTargetOptions, 'signal' | 'listener'> {
  readonly options: ReplayOptions;
  readonly target: ProvidedTarget;
}

async function judge(
  { checks, explore }: Omit<OtherWay, 'why'>,
  { options, target, signal, listener }: ReplaySurroundings,
) {
  const { finding, config } = options;
  const telling = tellingRequirements(finding);
  const selection: Selection = {
    words: [`--finding ${finding.id}`],
    requirement: (one) => telling.has(one),
    check: (one) => checks.includes(one),
  };
  const judged = await judgeTarget({
    config: target.config,
    embedded: config === null,
    selection,
    checks: checks.every((one) => CHECKS.includes(one)) ? CHECKS : checks,
    ...(explore === undefined ? {} : { explore }),
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

/** Of what a key is counted and granted, the oracle may say by another requirement what is wrong if less was sent before. */
function tellingRequirements({ requirement: id, trail }: FindingToReplay): ReadonlySet<string> {
  return trail.isOracles === true && COUNTED_BY_KEY.has(id) ? COUNTED_BY_KEY : new Set([id]);
}

function outcomeOf(
  { report }: { readonly report: Pick<VerifyReport, 'requirements'> },
  finding: FindingToReplay,
) {
  const ids = tellingRequirements(finding);
  const hasFailed = report.requirements.some(({ id, outcome }) => ids.has(id) && outcome === 'fail');
  return hasFailed ? 'fail' : report.requirements.find(({ id }) => id === finding.requirement)?.outcome;
}
