import { openTrailLog } from '../../target/index.ts';
import type { Episode, PlannedOperation } from './episode.ts';
import { playEpisode, type PlayedEpisode } from './play-episode.ts';
import { shrinkEpisode } from './shrink-episode.ts';
import { openStage, type Scene, type SeenViolation, type Stage } from './stage.ts';

/** An episode that showed a violation. */
export interface SightedEpisode {
  readonly violation: SeenViolation;
  readonly episode: Episode;
  /** The episodes that were played last before it; the target may remember what they did. */
  readonly before: readonly Episode[];
  readonly requests: number;
}

/** How reliably it shows again: each time, only with luck, or not at all. */
type Showing = 'always' | 'by chance' | 'never';

interface RepeatedEpisode extends SightedEpisode {
  readonly shows: Showing;
}

/**
 * Repeats what was seen, and shrinks it: each sighting by itself, then the first after what came before it. What only
 * shows since the target remembers what was played last is no repetition.
 * @param sightings of one requirement, the shortest first; at least one
 */
export async function repeatSighting(
  scene: Scene,
  sightings: readonly SightedEpisode[],
): Promise<RepeatedEpisode> {
  const [first] = sightings;
  if (first === undefined) {
    throw new Error('There is nothing to repeat');
  }
  const { before } = first;
  const attempts = [
    ...sightings.map((sighting) => ({ ...sighting, before: [] })),
    ...(before.length === 0 ? [] : [{ ...first, before: before.slice(-1) }]),
    ...(before.length <= 1 ? [] : [first]),
  ];
  const between = playBetween(scene);
  let isApart = false;
  let luckiest: RepeatedEpisode | null = null;
  for (const attempt of attempts) {
    let repeated = await shrinkSighting(scene, attempt, isApart ? between : null);
    if (repeated !== null && !isApart && (await showingOf(scene, repeated, between)) === 'never') {
      isApart = true;
      repeated = await shrinkSighting(scene, attempt, between);
    }
    const shows = repeated === null ? 'never' : await showingOf(scene, repeated, between);
    if (repeated !== null && shows !== 'never') {
      return { ...repeated, shows };
    }
    luckiest ??= repeated === null ? null : { ...repeated, shows: 'by chance' };
  }
  return luckiest ?? { ...first, shows: 'never' };
}

type PlayBetween = () => Promise<void>;

/**
 * An ordinary client, never quite the same: after it a target hardly remembers as its last what was played before, and
 * what it does each so many times comes at another moment.
 */
function playBetween(scene: Scene): PlayBetween {
  let round = 0;
  return async () => {
    round += 1;
    const operations: readonly PlannedOperation[] = [
      ...Array.from({ length: 1 + (round % 3) }, (): PlannedOperation => ({ kind: 'list' })),
      ...Array.from({ length: 1 + (round % 2) }, (_, index): PlannedOperation => ({
        kind: 'update',
        pet: 0,
        quantity: 400_000 + 2 * round + index,
      })),
    ];
    const requests = operations.map((operation) => ({ key: 0, operation, credential: null, extra: null }));
    await playEpisode(
      scene,
      {
        theme: 'between',
        start: null,
        keys: [{ plan: 'enterprise', limits: { perMinute: 60, perDay: 4_000 }, leftToday: null }],
        inventory: { of: 'seeded', size: 3 },
        steps: [{ do: 'send', requests, times: requests.length, lane: 'shared' }],
      },
      null,
    );
  };
}

const REPETITIONS = 3;

/** If no more requests may be made, what is known is taken. */
async function showingOf(
  scene: Scene,
  { violation: { id }, before, episode }: SightedEpisode,
  between: PlayBetween,
): Promise<Showing> {
  let shown = 0;
  for (let count = 0; count < REPETITIONS; count += 1) {
    await between();
    const { played } = await playInTurn(scene, before, episode, id);
    shown += played.violations.has(id) || !scene.mayStillSend() ? 1 : 0;
  }
  return shown === REPETITIONS ? 'always' : shown === 0 ? 'never' : 'by chance';
}

/** Takes away from an episode, and then from those before it, what it does not take. @returns `null` if it does not show */
async function shrinkSighting(
  scene: Scene,
  { violation, episode, before, requests }: SightedEpisode,
  between: PlayBetween | null,
): Promise<SightedEpisode | null> {
  const { id } = violation;
  let shown = violation;
  let fewest = Number.POSITIVE_INFINITY;
  const play = async (earlier: readonly Episode[], last: Episode) => {
    await between?.();
    if (!scene.mayStillSend()) {
      return null;
    }
    const { sent, played } = await playInTurn(scene, earlier, last, id);
    const again = played.violations.get(id);
    if (again !== undefined && sent <= fewest) {
      fewest = sent;
      shown = again;
    }
    return { shows: again !== undefined, requests: sent, steps: played.steps };
  };
  const shrunk = await shrinkEpisode(episode, requests, (candidate) => play(before, candidate));
  if (!shrunk.isRepeated) {
    return null;
  }
  let earlier = before;
  for (const [index, one] of before.entries()) {
    const { episode: smaller } = await shrinkEpisode(one, fewest, async (candidate) => {
      const played = await play(earlier.with(index, candidate), shrunk.episode);
      return played === null ? null : { ...played, steps: candidate.steps.length };
    });
    earlier = earlier.with(index, smaller);
  }
  return {
    violation: shown,
    episode: shrunk.episode,
    before: earlier,
    requests: Math.min(fewest, shrunk.requests),
  };
}

/** Plays episodes one after the other, as one trail. */
async function playInTurn(
  scene: Scene,
  before: readonly Episode[],
  last: Episode,
  until: SeenViolation['id'],
): Promise<{ readonly sent: number; readonly played: PlayedEpisode }> {
  const log = openTrailLog();
  const open = (one: Scene, episode: Episode): Promise<Stage> => openStage(one, episode, log);
  let sent = 0;
  for (const episode of before) {
    sent += (await playEpisode(scene, episode, null, open)).requests;
  }
  const played = await playEpisode(scene, last, until, open);
  return { sent: sent + played.requests, played };
}
