import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { CheckEnvironment } from '../check-environment.ts';
import { EndedEarly } from '../early-end.ts';
import type { PlannedExploration } from '../plan-exploration.ts';
import { coverStates, type StateTransition, type StateVisits } from './coverage.ts';
import { openCarefulStage } from './careful-stage.ts';
import { drawCarefulEpisodes, drawEpisodes } from './draw-episodes.ts';
import type { Episode } from './episode.ts';
import { playEpisode } from './play-episode.ts';
import { repeatSighting, type SightedEpisode } from './repeat-sighting.ts';
import { openStage, type Scene, type Stage } from './stage.ts';

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
  const sightings = new Map<RequirementId, readonly SightedEpisode[]>();
  const exploring = countRequests(environment, requests);
  const scene: Scene = {
    environment: exploring.environment,
    judgements: client.judgements,
    coverage,
    mayStillSend: exploring.mayStillSend,
  };
  const isDone = (): boolean => until.length > 0 && until.every((id) => sightings.has(id));
  let episodes = 0;
  let before: readonly Episode[] = [];
  const careful = careOf === null ? null : await openCarefulStage(scene, careOf);
  const opening = careful === null ? openStage : async (): Promise<Stage> => careful.stage;
  for (const episode of careful === null ? drawEpisodes(seed) : drawCarefulEpisodes(seed)) {
    if (!exploring.mayStillSend() || isDone()) {
      break;
    }
    episodes += 1;
    const { violations, requests: sent } = await playEpisode(scene, episode, null, opening);
    for (const violation of violations.values()) {
      noteSighting(sightings, { violation, episode, before, requests: sent });
    }
    before = [...before, episode].slice(-MOST_BEFORE);
    onExplored(exploring.sent());
  }
  await careful?.clearAway();
  const shrinkingRequests = countRequests(environment, shrinking);
  const found: ShrunkViolation[] = [];
  for (const [sighting, ...others] of mostBindingFirst([...sightings.values()])) {
    if (sighting === undefined || client.signal.reason instanceof EndedEarly) {
      break;
    }
    found.push(
      careful === null
        ? await settle(environment, shrinkingRequests, [sighting, ...others])
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

// What an earlier episode left behind may be what a shorter one shows, so that a longer one is shown by itself.
const MOST_SIGHTINGS = 3;
const MOST_BEFORE = 4;

/** Keeps the episodes with the fewest requests for each requirement, the shortest first. */
function noteSighting(
  sightings: Map<RequirementId, readonly SightedEpisode[]>,
  sighting: SightedEpisode,
): void {
  const { id } = sighting.violation;
  const all = [...(sightings.get(id) ?? []), sighting].toSorted((a, b) => a.requests - b.requests);
  sightings.set(id, all.slice(0, MOST_SIGHTINGS));
}

function mostBindingFirst(
  sightings: readonly (readonly SightedEpisode[])[],
): readonly (readonly SightedEpisode[])[] {
  return sightings.toSorted((a, b) => rankOf(a) - rankOf(b));
}

function rankOf([first]: readonly SightedEpisode[]): number {
  return first !== undefined && requirement(first.violation.id).level === 'must' ? 0 : 1;
}

/** Records what was seen with keys that others may use too, on which it cannot be repeated from the beginning. */
function settleAsSeen(
  { client }: CheckEnvironment,
  { violation, requests }: SightedEpisode,
): ShrunkViolation {
  const { by, id, finding } = violation;
  client.judgements.fail(by, id, finding);
  return { id, requests, isRepeated: null };
}

/** Records what was seen, as short as it shows again. */
async function settle(
  environment: CheckEnvironment,
  { environment: counted, mayStillSend }: CountedRequests,
  sightings: readonly SightedEpisode[],
): Promise<ShrunkViolation> {
  const scene: Scene = {
    environment: counted,
    judgements: { pass: () => {}, observe: () => {} },
    coverage: coverStates(),
    mayStillSend,
  };
  const { violation, requests, shows } = await repeatSighting(scene, sightings);
  const { by, id, finding } = violation;
  const { trail, message } = finding;
  const several = shows === 'always' ? LEAST_ATTEMPTS : Math.ceil(REQUESTS_OF_ATTEMPTS / requests);
  const attempts = Math.max(trail?.attempts ?? 1, LEAST_ATTEMPTS, several);
  environment.client.judgements.fail(by, id, {
    ...finding,
    message: message + NOTES[shows],
    ...(trail === undefined ? {} : { trail: { ...trail, attempts } }),
  });
  return { id, requests, isRepeated: shows !== 'never' };
}

const NOTES = {
  always: '',
  'by chance': ' The same sequence does not show it each time.',
  never: ' It was seen once, and did not show again when the same sequence was repeated.',
} as const;

// Something that comes once in so many requests is seen again.
const REQUESTS_OF_ATTEMPTS = 120;
// What the target remembers of earlier episodes it has to be told once more.
const LEAST_ATTEMPTS = 3;

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
