import { messageOf } from '../../../contract/error-text.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { type Finding, EXPLORE } from '../../../contract/verdict.ts';
import { countText } from '../../../contract/words/enumeration.ts';
import { openTrailLog, type TargetClient, type TrailLog } from '../../target/index.ts';
import { withClient, type CheckEnvironment, inHistory } from '../check-environment.ts';
import { isNoFaultOfSuite } from '../failures.ts';
import type { ExplorationOrder } from '../plan-run.ts';
import { attemptsByChance } from '../replay/trail-check.ts';
import { drawEpisodes, playSteps, setStage } from '../../stimuli/episodes/index.ts';
import { collectJudgements } from '../../oracle/index.ts';
import type { Check } from '../../stimuli/index.ts';
import { openCheckContext } from '../check-context.ts';

/** What came of an exploration. */
export type Exploration = Awaited<ReturnType<typeof explore>>;

interface ExplorationListener {
  /** Takes the number of requests so far. */
  readonly onExplored: (requests: number) => void;
  /** Takes what ended the exploration early, other than the end of the run. */
  readonly onProblem: (message: string) => void;
}

/** Plays random episodes, and records each violation that they show. */
export async function explore(
  environment: CheckEnvironment,
  { requests, seed, until = [] }: ExplorationOrder,
  { onExplored, onProblem }: ExplorationListener,
) {
  const started = performance.now();
  const { client } = environment;
  // With how many requests the shortest sequence shows it.
  const seen = new Map<RequirementId, { readonly violation: SeenViolation; readonly requests: number }>();
  let sentInAll = 0;
  const spend = (label: string | null): void => {
    client.spend(label);
    sentInAll += 1;
  };
  const mayStillSend = (): boolean => sentInAll < requests && !client.signal.aborted;
  const own = withClient(environment, { spend });
  const isDone = (): boolean => until.length > 0 && until.every((id) => seen.has(id));
  let episodes = 0;
  let isCutShort = false;
  let log = openTrailLog();
  for (const episode of drawEpisodes(seed)) {
    if (!mayStillSend() || isCutShort || isDone()) {
      break;
    }
    log = episodes % EPISODES_OF_A_LOG === 0 ? openTrailLog() : log;
    episodes += 1;
    const { stage, takeViolations, close } = openStage(own, log);
    try {
      await stage.set(episode);
      await playSteps(stage, episode.steps, () => !mayStillSend());
    } catch (error) {
      isCutShort = true;
      const problem = describeEarlyEnd(error, client);
      if (problem !== null) {
        onProblem(
          `The exploration ended after ${sentInAll} of ${countText(requests, 'request')}. ${problem}`,
        );
      }
    } finally {
      await close();
    }
    const sent = stage.requests();
    for (const violation of takeViolations()) {
      const known = seen.get(violation.id);
      if (known === undefined || sent < known.requests) {
        seen.set(violation.id, { violation, requests: sent });
      }
    }
    onExplored(sentInAll);
  }
  for (const { violation, requests: sent } of seen.values()) {
    const { by, id, finding } = violation;
    client.judgements.fail(by, id, withAttempts(finding, sent));
  }
  return {
    seed,
    requests: sentInAll,
    episodes,
    found: [...seen].map(([id, { requests: sent }]) => ({ id, requests: sent })),
    durationSeconds: (performance.now() - started) / 1000,
  };
}

/** What keeps a target from being explored any further; `null` if the run ended. @throws whatever else it was */
function describeEarlyEnd(error: unknown, { signal, redactor }: TargetClient): string | null {
  if (signal.aborted) {
    return null;
  }
  if (!isNoFaultOfSuite(error)) {
    throw error;
  }
  return redactor.redact(messageOf(error));
}

// What an earlier episode left behind may be what a later one shows.
const EPISODES_OF_A_LOG = 5;

function withAttempts(finding: Finding, requests: number): Finding {
  const { trail } = finding;
  return trail === undefined
    ? finding
    : { ...finding, trail: { ...trail, attempts: attemptsByChance(trail, requests) } };
}

/** A requirement that was seen violated. */
interface SeenViolation {
  /** Id of the monitor that says so, or of the explorer. */
  readonly by: string;
  readonly id: RequirementId;
  readonly finding: Finding;
}

const EPISODE: Check = {
  id: EXPLORE,
  title: 'A random sequence of requests',
  judges: [],
  needs: { profile: 'full', keys: [] },
  run: async () => {},
};

/**
 * A stage for an episode, whose violations are kept apart; it begins a history on keys and an inventory of its own.
 * @param log what led to a finding; it may hold earlier episodes
 */
function openStage(surroundings: CheckEnvironment, log: TrailLog) {
  const { environment, takeViolations } = watch(surroundings, log);
  const own = inHistory(environment, environment.client.history.another());
  const { client } = own;
  const { context, close } = openCheckContext(own, {
    check: EPISODE,
    keys: [],
    pets: [],
    judgements: client.judgements,
  });
  const stage = setStage(context, () => client.liveness.ask(client));
  return { stage, takeViolations, close };
}

/** What is sent in this environment counts as the explorer's, and its violations are kept apart. */
function watch(environment: CheckEnvironment, log: TrailLog) {
  const inAll = environment.client.judgements;
  const violations = new Map<RequirementId, SeenViolation>();
  const judgements: TargetClient['judgements'] = {
    ...collectJudgements(),
    pass: (...said) => inAll.pass(...said),
    observe: (...said) => inAll.observe(...said),
    fail: (by, id, finding) => {
      if (!violations.has(id)) {
        violations.set(id, { by, id, finding });
      }
    },
  };
  return {
    environment: withClient(environment, { sender: { check: EXPLORE }, log, judgements }),
    /** The first violation of each requirement since this was asked for last. */
    takeViolations: (): readonly SeenViolation[] => {
      const taken = [...violations.values()];
      violations.clear();
      return taken;
    },
  };
}
