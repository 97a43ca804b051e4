import type { Episode, EpisodeKey, Lane, PlannedRequest, Step } from './episode.ts';

/** Whether an episode still shows what was seen, and with how many requests. */
interface Replay {
  readonly shows: boolean;
  readonly requests: number;
  /** Steps that were begun until it showed. */
  readonly steps: number;
}

export interface ShrunkEpisode {
  readonly episode: Episode;
  readonly requests: number;
  /** Whether it showed again when the whole episode was repeated; if not, it was not shrunk. */
  readonly isRepeated: boolean;
}

type Try = (episode: Episode) => Promise<Replay | null>;

// Requests that were under way together may have met by chance.
const REPETITIONS = 3;

/**
 * Takes away from an episode what it does not take to show a violation: steps in ever smaller parts, requests, keys,
 * pets. Each candidate is played on fresh keys and a fresh inventory.
 * @param play `null` if no more requests may be made
 */
export async function shrinkEpisode(episode: Episode, requests: number, play: Try): Promise<ShrunkEpisode> {
  let repeated: Replay | null = null;
  for (let count = 0; count < REPETITIONS && repeated?.shows !== true; count += 1) {
    repeated = await play(episode);
  }
  if (repeated?.shows !== true) {
    return { episode, requests, isRepeated: false };
  }
  let smallest = cut(episode, repeated);
  let size = repeated.requests;
  for (let wentOn = true; wentOn;) {
    wentOn = false;
    for (const candidate of candidatesOf(smallest)) {
      const replay = await play(candidate);
      if (replay === null) {
        return { episode: smallest, requests: size, isRepeated: true };
      }
      if (replay.shows && replay.requests <= size) {
        smallest = cut(candidate, replay);
        size = replay.requests;
        wentOn = true;
        break;
      }
    }
  }
  return { episode: smallest, requests: size, isRepeated: true };
}

/** Without the steps after the one that showed it. */
function cut(episode: Episode, { steps }: Replay): Episode {
  return { ...episode, steps: episode.steps.slice(0, steps) };
}

/** What is simpler by one cut, the largest cuts first. */
function* candidatesOf(episode: Episode): Generator<Episode> {
  const { steps } = episode;
  for (
    let length = Math.ceil(steps.length / 2);
    length >= 1;
    length = length === 1 ? 0 : Math.ceil(length / 2)
  ) {
    for (let from = 0; from < steps.length; from += length) {
      if (length < steps.length) {
        yield { ...episode, steps: steps.toSpliced(from, length) };
      }
    }
  }
  yield* withSmallerKeys(episode);
  for (const [index, step] of steps.entries()) {
    for (const smaller of smallerSteps(step)) {
      yield { ...episode, steps: steps.toSpliced(index, 1, ...smaller) };
    }
  }
  yield* withLessAround(episode);
}

function* withSmallerKeys(episode: Episode): Generator<Episode> {
  for (const [index, key] of episode.keys.entries()) {
    for (const smaller of smallerKeys(key)) {
      yield { ...episode, keys: episode.keys.toSpliced(index, 1, smaller) };
    }
  }
}

function* smallerKeys({ plan, limits, leftToday }: EpisodeKey): Generator<EpisodeKey> {
  const perDay = limits?.perDay ?? 4_000;
  const perMinute = limits?.perMinute ?? Number.POSITIVE_INFINITY;
  for (const smaller of [1, 2, 3]) {
    if (smaller < perMinute) {
      yield { plan: 'enterprise', limits: { perMinute: smaller, perDay }, leftToday };
    }
  }
  if (leftToday !== null) {
    yield { plan, limits, leftToday: null };
    for (let left = 0; left < Math.min(leftToday, 3); left += 1) {
      yield { plan, limits, leftToday: left };
    }
  }
}

/** Inventory and start, which take no requests. */
function* withLessAround(episode: Episode): Generator<Episode> {
  const { inventory, start, keys } = episode;
  if (start !== null) {
    yield { ...episode, start: null };
  }
  if (inventory.of === 'edges' && inventory.indexes.length > 3) {
    yield { ...episode, inventory: { of: 'edges', indexes: inventory.indexes.slice(0, 3) } };
  }
  const used = Math.max(0, ...episode.steps.flatMap(slotsOf)) + 1;
  if (used < keys.length) {
    yield { ...episode, keys: keys.slice(0, used) };
  }
}

function slotsOf(step: Step): readonly number[] {
  const own = 'key' in step ? [step.key] : [];
  return 'requests' in step ? [...own, ...step.requests.map(({ key }) => key)] : own;
}

/** What may stand in place of a step. */
function* smallerSteps(step: Step): Generator<readonly Step[]> {
  switch (step.do) {
    case 'send': {
      for (const times of fewer(step.times, 1)) {
        yield [{ ...step, times }];
      }
      for (const requests of shorter(step.requests)) {
        yield [{ ...step, requests, times: Math.min(step.times, requests.length) }];
        yield [{ ...step, requests }];
      }
      for (const requests of simpler(step.requests)) {
        yield [{ ...step, requests }];
      }
      yield* calmer(step);
      return;
    }
    case 'use up':
      for (const requests of [...shorter(step.requests), ...simpler(step.requests)]) {
        yield [{ ...step, requests }];
      }
      yield* calmer(step);
      return;
    case 'be patient':
      for (const windows of fewer(step.windows, 1)) {
        yield [{ ...step, windows }];
      }
      for (const requests of [...shorter(step.requests), ...simpler(step.requests)]) {
        yield [{ ...step, requests }];
      }
      return;
    case 'revoke':
      if (step.underWay.length > 0) {
        yield [{ ...step, underWay: [] }];
      }
      return;
    case 'wait':
    case 'wait out':
    case 'wait for reset':
    case 'wait for edge':
    case 'replace inventory':
  }
}

function fewer(count: number, least: number): readonly number[] {
  return [...new Set([least, Math.floor(count / 2), count - 1])].filter(
    (smaller) => smaller >= least && smaller < count,
  );
}

function shorter(requests: readonly PlannedRequest[]): readonly (readonly PlannedRequest[])[] {
  return requests.length === 1 ? [] : requests.map((_, index) => requests.toSpliced(index, 1));
}

/** One request without what makes it odd. */
function simpler(requests: readonly PlannedRequest[]): readonly (readonly PlannedRequest[])[] {
  return requests.flatMap((request, index) => {
    const plain: readonly PlannedRequest[] = [
      ...(request.extra === null ? [] : [{ ...request, extra: null }]),
      ...(request.credential === null ? [] : [{ ...request, credential: null }]),
      ...(request.operation.kind === 'list' ? [] : [{ ...request, operation: { kind: 'list' } as const }]),
    ];
    return plain.map((one) => requests.toSpliced(index, 1, one));
  });
}

/** One after the other on one connection. */
function* calmer(step: Extract<Step, { readonly lane: Lane }>): Generator<readonly Step[]> {
  if (step.lane !== 'shared') {
    yield [{ ...step, lane: 'shared' }];
  }
}
