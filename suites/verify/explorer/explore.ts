import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { EndedEarly } from '../early-end.ts';
import type { PlannedExploration } from '../plan-exploration.ts';
import { coverStates, type StateTransition, type StateVisits } from './coverage.ts';
import { openCarefulStage } from './careful-stage.ts';
import { drawCarefulEpisodes, drawEpisodes } from './draw-episodes.ts';
import type { Episode } from './episode.ts';
import { playEpisode } from './play-episode.ts';
import { shrinkEpisode } from './shrink-episode.ts';
import { openStage, type Scene, type Stage, type SeenViolation } from './stage.ts';

/** A violation that the explorer found, and what it takes to see it. */
interface ShrunkViolation {
  readonly id: RequirementId;
  /** Requests of the shortest sequence that showed it. */
  readonly requests: number;
  /** `null` if it was not repeated, since that takes keys of its own. */
  readonly isRepeated: boolean | null;
}

export interface ExplorationResult {
  readonly seed: number;
  /** Requests of the exploration itself, and of shrinking what it found. */
  readonly requests: number;
  readonly shrinking: number;
  readonly episodes: number;
  readonly states: readonly StateVisits[];
  readonly transitions: readonly StateTransition[];
  readonly found: readonly ShrunkViolation[];
  readonly durationSeconds: number;
}

interface Sighting {
  readonly violation: SeenViolation;
  readonly episode: Episode;
  readonly requests: number;
}

/**
 * Plays random episodes, and shrinks each violation that they show to the shortest sequence that still does.
 * @param onExplored takes the number of requests so far
 */
export async function explore(
  environment: CheckEnvironment,
  { requests, seed, shrinking, careOf, until = [] }: PlannedExploration,
  onExplored: (requests: number) => void,
): Promise<ExplorationResult> {
  const started = performance.now();
  const { client } = environment;
  const coverage = coverStates();
  const sightings = new Map<RequirementId, Sighting>();
  const exploring = countRequests(environment, requests);
  const scene: Scene = {
    environment: exploring.environment,
    judgements: client.judgements,
    coverage,
    mayStillSend: exploring.mayStillSend,
  };
  const isDone = (): boolean => until.length > 0 && until.every((id) => sightings.has(id));
  let episodes = 0;
  const careful = careOf === null ? null : await openCarefulStage(scene, careOf);
  const opening = careful === null ? openStage : async (): Promise<Stage> => careful.stage;
  for (const episode of careful === null ? drawEpisodes(seed) : drawCarefulEpisodes(seed)) {
    if (!exploring.mayStillSend() || isDone()) {
      break;
    }
    episodes += 1;
    noteSightings(sightings, episode, await playEpisode(scene, episode, null, opening));
    onExplored(exploring.sent());
  }
  await careful?.clearAway();
  const shrinkingRequests = countRequests(environment, shrinking);
  const found: ShrunkViolation[] = [];
  for (const sighting of mostBindingFirst([...sightings.values()])) {
    if (client.signal.reason instanceof EndedEarly) {
      break;
    }
    found.push(
      careful === null
        ? await settle(environment, shrinkingRequests, sighting)
        : settleAsSeen(environment, sighting),
    );
  }
  return {
    seed,
    requests: exploring.sent(),
    shrinking: shrinkingRequests.sent(),
    episodes,
    states: coverage.states(),
    transitions: coverage.transitions(),
    found,
    durationSeconds: (performance.now() - started) / 1000,
  };
}

/** Keeps the episode with the fewest requests for each requirement. */
function noteSightings(
  sightings: Map<RequirementId, Sighting>,
  episode: Episode,
  { violations, requests }: Awaited<ReturnType<typeof playEpisode>>,
): void {
  for (const [id, violation] of violations) {
    const known = sightings.get(id);
    if (known === undefined || requests < known.requests) {
      sightings.set(id, { violation, episode, requests });
    }
  }
}

function mostBindingFirst(sightings: readonly Sighting[]): readonly Sighting[] {
  const rank = ({ violation }: Sighting): number => (requirement(violation.id).level === 'must' ? 0 : 1);
  return sightings.toSorted((a, b) => rank(a) - rank(b));
}

/** Records what was seen with keys that others may use too, on which it cannot be repeated from the beginning. */
function settleAsSeen({ client }: CheckEnvironment, { violation, requests }: Sighting): ShrunkViolation {
  const { by, id, finding } = violation;
  client.judgements.fail(by, id, finding);
  return { id, requests, isRepeated: null };
}

/** Shrinks what was seen, and records it as a finding. */
async function settle(
  environment: CheckEnvironment,
  budget: CountedRequests,
  { violation, episode, requests }: Sighting,
): Promise<ShrunkViolation> {
  const { id } = violation;
  const { client } = environment;
  let shown = violation;
  let fewest = Number.POSITIVE_INFINITY;
  const scene: Scene = {
    environment: budget.environment,
    judgements: { pass: () => {}, observe: () => {} },
    coverage: coverStates(),
    mayStillSend: budget.mayStillSend,
  };
  const shrunk = await shrinkEpisode(episode, requests, async (candidate) => {
    if (!budget.mayStillSend()) {
      return null;
    }
    const replay = await playEpisode(scene, candidate, id);
    const again = replay.violations.get(id);
    if (again !== undefined && replay.requests <= fewest) {
      fewest = replay.requests;
      shown = again;
    }
    return { shows: again !== undefined, requests: replay.requests, steps: replay.steps };
  });
  const note = shrunk.isRepeated
    ? ''
    : ' It was seen once, and did not show again when the same sequence was repeated.';
  const { by, finding } = shown;
  client.judgements.fail(by, id, { ...finding, message: `${finding.message}${note}` });
  return { id, requests: shrunk.requests, isRepeated: shrunk.isRepeated };
}

interface CountedRequests {
  /** Whose requests are counted. */
  readonly environment: CheckEnvironment;
  readonly mayStillSend: () => boolean;
  readonly sent: () => number;
}

function countRequests(environment: CheckEnvironment, most: number): CountedRequests {
  const { client } = environment;
  let sent = 0;
  return {
    environment: {
      ...environment,
      client: {
        ...client,
        spend: (label) => {
          client.spend(label);
          sent += 1;
        },
      },
    },
    mayStillSend: () => sent < most && !client.signal.aborted,
    sent: () => sent,
  };
}
