import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { drawEpisodes } from './draw-episodes.ts';
import type { Episode, Step } from './episode.ts';
import { shrinkEpisode } from './shrink-episode.ts';

function wait(seconds: number): Step {
  return { do: 'wait', seconds };
}

function episodeOf(steps: readonly Step[]): Episode {
  return { theme: 'test', start: null, keys: [], inventory: { of: 'seeded', size: 1 }, steps };
}

/** Shows something once all culprits have been played; each step takes one request. */
function replay(culprits: readonly Step[]) {
  return async ({ steps }: Episode) => {
    const last = Math.max(...culprits.map((culprit) => steps.indexOf(culprit)));
    const shows = culprits.every((culprit) => steps.includes(culprit));
    return { shows, requests: shows ? last + 1 : steps.length, steps: shows ? last + 1 : steps.length };
  };
}

test('what is left is just what it takes', async () => {
  const steps = fc.array(fc.nat().map(wait), { minLength: 1, maxLength: 20 });
  const cases = steps.chain((steps) =>
    fc.record({ steps: fc.constant(steps), culprits: fc.subarray(steps, { minLength: 1 }) }),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ({ steps, culprits }) => {
      const shrunk = await shrinkEpisode(episodeOf(steps), steps.length, replay(culprits));
      expect(shrunk).toEqual({
        episode: episodeOf(culprits),
        requests: culprits.length,
        isRepeated: true,
      });
    }),
  );
});

test('what does not show again stays whole, and is said to have been seen once', async () => {
  const episode = episodeOf([wait(1), wait(2)]);
  const shrunk = await shrinkEpisode(episode, 7, async () => ({ shows: false, requests: 7, steps: 2 }));
  expect(shrunk).toEqual({ episode, requests: 7, isRepeated: false });
});

test('without requests left the smallest so far is kept', async () => {
  const [first, second, third] = [wait(1), wait(2), wait(3)];
  const play = replay([second]);
  let left = 1;
  const shrunk = await shrinkEpisode(episodeOf([first, second, third]), 3, async (candidate) => {
    left -= 1;
    return left < 0 ? null : play(candidate);
  });
  expect(shrunk).toMatchObject({ episode: { steps: [first, second] }, isRepeated: true });
});

function limitOf({ keys: [key] }: Episode): number {
  return key?.limits?.perMinute ?? 60;
}

test('a burst shrinks to its number of requests, and its key to a small limit', async () => {
  const episode = drawEpisodes(1).find(({ theme }) => theme === 'whole minutes of free');
  if (episode === undefined) {
    throw new Error('No such episode');
  }
  const shrunk = await shrinkEpisode(episode, 61, async (candidate) => {
    const shows = candidate.steps.some((step) => step.do === 'use up');
    return { shows, requests: limitOf(candidate), steps: candidate.steps.length };
  });
  expect(shrunk.requests).toBe(1);
  expect(shrunk.episode.keys).toMatchObject([{ plan: 'enterprise', limits: { perMinute: 1 } }]);
});
