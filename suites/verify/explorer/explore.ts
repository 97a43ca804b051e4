import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import { openTrailLog } from '../../target/index.ts';
import { withClient, type CheckEnvironment } from '../check-environment.ts';
import type { PlannedExploration } from '../plan-run.ts';
import { attemptsByChance } from '../replay/trail-check.ts';
import { coverStates, type StateTransition, type StateVisits } from './coverage.ts';
import { drawCarefulEpisodes, drawEpisodes, playSteps } from '../../stimuli/episodes/index.ts';
import { openCarefulStage, openStage, type Scene, type SeenViolation } from './open-stage.ts';

/** A violation that the explorer found. */
interface SeenInEpisode {
  readonly violation: SeenViolation;
  /** Requests of the shortest sequence that showed it. */
  readonly requests: number;
}

/** What came of an exploration. */
export interface Exploration {
  readonly seed: number;
  readonly requests: number;
  readonly episodes: number;
  readonly states: readonly StateVisits[];
  readonly transitions: readonly StateTransition[];
  readonly found: readonly { readonly id: RequirementId; readonly requests: number }[];
  readonly durationSeconds: number;
}

/**
 * Plays random episodes, and records each violation that they show.
 * @param onExplored takes the number of requests so far
 */
export async function explore(
  environment: CheckEnvironment,
  { requests, seed, careOf, until = [] }: PlannedExploration,
  onExplored: (requests: number) => void,
): Promise<Exploration> {
  const started = performance.now();
  const { client } = environment;
  const coverage = coverStates();
  const seen = new Map<RequirementId, SeenInEpisode>();
  let sentInAll = 0;
  const spend = (label: string | null): void => {
    client.spend(label);
    sentInAll += 1;
  };
  const mayStillSend = (): boolean => sentInAll < requests && !client.signal.aborted;
  const scene: Scene = { environment: withClient(environment, { spend }), coverage };
  const isDone = (): boolean => until.length > 0 && until.every((id) => seen.has(id));
  let episodes = 0;
  let log = openTrailLog();
  const careful = careOf === null ? null : await openCarefulStage(scene, careOf, log);
  try {
    for (const episode of careful === null ? drawEpisodes(seed) : drawCarefulEpisodes(seed)) {
      if (!mayStillSend() || isDone()) {
        break;
      }
      log = episodes % EPISODES_OF_A_LOG === 0 ? openTrailLog() : log;
      episodes += 1;
      const { stage, takeViolations, close } = careful ?? (await openStage(scene, episode, log));
      const before = stage.requests();
      try {
        await playSteps(stage, episode.steps, () => !mayStillSend());
      } finally {
        await (careful === null ? close() : undefined);
      }
      const sent = stage.requests() - before;
      for (const violation of takeViolations()) {
        const known = seen.get(violation.id);
        if (known === undefined || sent < known.requests) {
          seen.set(violation.id, { violation, requests: sent });
        }
      }
      onExplored(sentInAll);
    }
  } finally {
    await careful?.close();
  }
  for (const { violation, requests: sent } of seen.values()) {
    const { by, id, finding } = violation;
    client.judgements.fail(by, id, withAttempts(finding, sent));
  }
  return {
    seed,
    requests: sentInAll,
    episodes,
    states: coverage.states(),
    transitions: coverage.transitions(),
    found: [...seen].map(([id, { requests: sent }]) => ({ id, requests: sent })),
    durationSeconds: (performance.now() - started) / 1000,
  };
}

// What an earlier episode left behind may be what a later one shows.
const EPISODES_OF_A_LOG = 5;

function withAttempts(finding: Finding, requests: number): Finding {
  const { trail } = finding;
  return trail === undefined
    ? finding
    : { ...finding, trail: { ...trail, attempts: attemptsByChance(trail, requests) } };
}
