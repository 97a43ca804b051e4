import { requirement } from '../../contract/requirements/index.ts';
import { EXPLORE } from '../../contract/verdict.ts';
import { countText, enumeration } from '../../contract/words/enumeration.ts';
import type { VerifyReport } from '../../reports/index.ts';
import { COUNTED_BY_KEY } from '../../suites/oracle/index.ts';
import { rememberingUse, type TargetConfig } from '../../suites/target/index.ts';
import {
  CHECKS,
  petsWrittenBy,
  sumOfBudgets,
  trailCheck,
  type Check,
  type ExplorationOrder,
  type RunPlan,
  type Selection,
} from '../../suites/verify/index.ts';
import { judgeTarget, planTarget, type JudgeTargetOptions } from '../library/verify/judge-target.ts';
import { runWithProgress } from '../shared/interruption.ts';
import { warnOfVariables } from '../shared/configuration/configuration.ts';
import type { CommandCall } from '../shared/options/command.ts';
import { openEventLog, withEvents } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import { warn } from '../shared/output/text-output.ts';
import { transportOf } from '../shared/options/shared-options.ts';
import { describeBudget, INTERRUPTION, showVerifyProgress } from '../verify/progress.ts';
import { provideTarget, type ProvidedTarget } from '../verify/provide-target.ts';
import { readReplayOptions, type ReplayOptions, type FindingToReplay } from './options.ts';

const BAN_WAIT_SECONDS = 120;

/**
 * Looks for the violation of a finding again. What the oracle found shows if the trail is sent again, and what a check
 * found if that check is performed again. What neither shows may take the other checks of the run, or all that was explored.
 * @returns the exit code
 */
export async function runReplay({ operands, flags, surroundings }: CommandCall): Promise<number> {
  warnOfVariables(flags, surroundings);
  const options = readReplayOptions(operands, flags, surroundings);
  const { finding, config, profile } = options;
  const progress = showVerifyProgress(options.quiet);
  warn(options.warnings);
  return runWithProgress(progress, INTERRUPTION, async (signal) => {
    const events = openEventLog(options.events);
    let target: ProvidedTarget | undefined;
    try {
      target = await provideTarget({ config, image: null, profile }, { signal, note: progress.note });
      events.emit({ event: 'run-start', command: 'replay' });
      const surroundings = {
        options,
        config: rememberingUse(target.config),
        signal,
        listener: withEvents(progress, events),
      };
      let judged: Judged | null = null;
      const ways = waysToShow(options, target);
      if (ways.length > 1) {
        (await announce(ways, surroundings)).forEach(progress.note);
      }
      for (const way of ways) {
        const told = judged === null ? null : outcomeOf(judged, finding);
        if (judged !== null && (signal.aborted || told === 'fail' || (way.ifOpen && told === 'pass'))) {
          continue;
        }
        progress.note(way.why);
        const next = await judge(way, surroundings);
        // What cannot be performed judges nothing, which does not undo what was shown before.
        const isJudged = ['pass', 'fail'].includes(outcomeOf(next, finding) ?? '');
        judged = judged === null || isJudged || next.interrupted ? next : judged;
      }
      if (judged === null) {
        throw new Error('Nothing was judged.');
      }
      progress.stop();
      return await finishRun(judged.report, options, { interrupted: judged.interrupted, events });
    } finally {
      await target?.close();
    }
  });
}

/** How the violation may show again. */
interface Way {
  readonly checks: readonly Check[];
  readonly explore?: ExplorationOrder;
  /** Whether it is of no use once the requirement was seen to hold. */
  readonly ifOpen: boolean;
  /** A sentence or two for whoever waits. */
  readonly why: string;
}

function waysToShow({ finding, attempts, config }: ReplayOptions, target: ProvidedTarget): readonly Way[] {
  const { trail, check, checks, exploration, requirement: id } = finding;
  const found = CHECKS.find((one) => one.id === check);
  // Whether a request without a key is refused depends on nothing else.
  const isTelling = trail.isOracles === true || check === EXPLORE || trail.keys.length === 0;
  const again = trailCheck({ ...trail, attempts: attempts ?? trail.attempts }, id, isTelling);
  const isKeyless = config?.keys.length === 0 && config.control === null;
  const ways: Way[] = [];
  if (isTelling || found === undefined) {
    ways.push({ checks: [again], ifOpen: false, why: `The trail is sent again. ${takes(again)}` });
  }
  if (found !== undefined && !isKeyless) {
    const why = `The check ${found.id} is performed again. ${takes(found)}`;
    ways.push({ checks: [found], ifOpen: isTelling, why });
  }
  // They take many keys, so that a control URL has to issue them.
  if (target.config.control === null) {
    return ways;
  }
  if (exploration !== null) {
    const why =
      'That did not show the fault. What was explored before may have had a part in it, so the same is explored again.';
    ways.push({ checks: [], explore: { ...exploration, shrinking: 0, until: [id] }, ifOpen: false, why });
  }
  if (exploration === null && checks.length > 1) {
    const why =
      'That did not show the fault. Other checks may have had a part in it, so all checks of the run are performed again.';
    ways.push({ checks: CHECKS.filter((one) => checks.includes(one.id)), ifOpen: false, why });
  }
  return ways;
}

/** What a check takes of the target's keys, in a sentence. */
function takes({ needs: { keys } }: Check): string {
  const demanded = keys.filter(({ optional }) => optional !== true);
  const plans = [...new Set(demanded.map(({ plan }) => plan))];
  const named = plans.map((plan) => {
    const count = demanded.filter((need) => need.plan === plan).length;
    return `${countText(count, 'key')} of ${plan === 'any' ? 'any plan' : `the plan ${plan}`}`;
  });
  return named.length === 0 ? 'It takes no key.' : `It takes ${enumeration(named)}.`;
}

type Judged = Awaited<ReturnType<typeof judge>>;

interface ReplaySurroundings extends Pick<JudgeTargetOptions, 'signal' | 'listener'> {
  readonly options: ReplayOptions;
  /** Where it is looked for. */
  readonly config: TargetConfig;
}

/** What all ways together may take, in lines, before the first of them begins. */
async function announce(ways: readonly Way[], surroundings: ReplaySurroundings): Promise<readonly string[]> {
  const plans: RunPlan[] = [];
  for (const way of ways) {
    const planned = await planTarget({ ...orderOf(way, surroundings), listener: {} });
    plans.push(...('plan' in planned ? [planned.plan] : []));
  }
  return [
    `Up to ${ways.length} ways are tried, one after another. Together:`,
    ...describeBudget({
      checks: [...new Set(plans.flatMap(({ checks }) => checks))],
      exploration: null,
      budget: sumOfBudgets(plans.map(({ budget }) => budget)),
    }),
  ];
}

/** How one way is carried out. */
function orderOf(
  { checks, explore }: Way,
  { options, config, signal, listener }: ReplaySurroundings,
): JudgeTargetOptions {
  const { finding } = options;
  const telling = tellingRequirements(finding);
  const selection: Selection = {
    words: [finding.id],
    requirement: (one) => telling.has(one),
    check: (one) => checks.includes(one),
  };
  return {
    config: withPets(config, petsWrittenBy(finding.trail)),
    embedded: options.config === null,
    selection,
    checks: checks.every((one) => CHECKS.includes(one)) ? CHECKS : checks,
    ...(explore === undefined ? {} : { explore }),
    level: requirement(finding.requirement).level === 'should' ? 'should' : 'must',
    long: config.control !== null || options.long,
    banWaitSeconds: BAN_WAIT_SECONDS,
    transport: transportOf(options),
    headers: options.header,
    signal,
    listener,
  };
}

async function judge(way: Way, surroundings: ReplaySurroundings) {
  const { listener, options } = surroundings;
  let whyNot = 'It was cut short.';
  const judged = await judgeTarget({
    ...orderOf(way, surroundings),
    listener: {
      ...listener,
      onPlan: (plan) => {
        whyNot = plan.skipped.map(({ reason }) => reason).join(' ') || whyNot;
        listener.onPlan?.(plan);
      },
    },
  });
  // How many faults the one trail could have shown says nothing.
  const { power: _power, ...report } = judged.report;
  const { interrupted } = judged;
  const [only] = way.checks.length === 1 ? way.checks : [];
  const row = report.checks.find(({ id }) => id === only?.id);
  const isTold = only === undefined || (row !== undefined && row.outcome !== 'inconclusive');
  return { report: isTold ? report : leftOpen(report, options.finding, whyNot), interrupted };
}

/** What was seen in passing does not stand for a check that was not carried out. */
function leftOpen<Kind extends Pick<VerifyReport, 'requirements' | 'verdict' | 'scope'>>(
  report: Kind,
  { requirement: id }: FindingToReplay,
  reason: string,
): Kind {
  return {
    ...report,
    verdict: report.verdict === 'conformant' ? 'inconclusive' : report.verdict,
    scope: report.verdict === 'conformant' ? `inconclusive: ${reason}` : report.scope,
    requirements: report.requirements.map((row) =>
      row.id === id && row.outcome === 'pass' ? { ...row, outcome: 'inconclusive', reason } : row,
    ),
  };
}

/** What is let in without a key breaks both, and the oracle names the first. */
const LET_IN: ReadonlySet<string> = new Set(['missing-key', 'every-operation-authenticates']);

/** By which requirements the oracle may say what is wrong, if less was sent before. */
function tellingRequirements({ requirement: id, trail }: FindingToReplay): ReadonlySet<string> {
  if (trail.keys.length === 0 && LET_IN.has(id)) {
    return LET_IN;
  }
  return trail.isOracles === true && COUNTED_BY_KEY.has(id) ? COUNTED_BY_KEY : new Set([id]);
}

/** The pets of the trail are those that are noted and put back. */
function withPets(config: TargetConfig, petIds: readonly bigint[]): TargetConfig {
  const { pets } = config;
  return { ...config, pets: { ...pets, existing: [...new Set([...petIds, ...pets.existing])] } };
}

function outcomeOf(
  { report }: { readonly report: Pick<VerifyReport, 'requirements'> },
  finding: FindingToReplay,
) {
  const ids = tellingRequirements(finding);
  const hasFailed = report.requirements.some(({ id, outcome }) => ids.has(id) && outcome === 'fail');
  return hasFailed ? 'fail' : report.requirements.find(({ id }) => id === finding.requirement)?.outcome;
}
