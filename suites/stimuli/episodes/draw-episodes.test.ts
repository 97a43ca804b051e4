import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { drawEpisodes } from './draw-episodes.ts';
import type { Episode } from './episode.ts';

const EPISODES = 80;

function firstOf(seed: number, count = EPISODES): readonly Episode[] {
  return drawEpisodes(seed).take(count).toArray();
}

/** Episodes with what they ask of an inventory of two pets. */
function asked(episodes: readonly Episode[]): readonly string[] {
  return episodes.map((episode) =>
    JSON.stringify(episode, (_, value: unknown) =>
      typeof value === 'function' ? value([1n, 2n]) : typeof value === 'bigint' ? `${value}` : value,
    ),
  );
}

test('the same seed draws the same episodes, and another seed others', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 32 - 2 }), (seed) => {
      expect(asked(firstOf(seed, 5))).toEqual(asked(firstOf(seed, 5)));
      expect(asked(firstOf(seed, 5))).not.toEqual(asked(firstOf(seed + 1, 5)));
    }),
    { numRuns: 20 },
  );
});

test('the rounds of a seed differ', () => {
  const texts = asked(firstOf(1));
  expect(new Set(texts).size).toBe(texts.length);
});

test('a seed plays keys of all plans, days that are nearly used, revocation and many windows', () => {
  const episodes = firstOf(1);
  const plans = new Set(episodes.flatMap(({ keys }) => keys.map(({ plan }) => plan)));
  expect([...plans].toSorted()).toEqual(['business', 'enterprise', 'free', 'pro']);
  expect(episodes.some(({ keys }) => keys.some(({ usedToday }) => usedToday !== undefined))).toBe(true);
  const steps = episodes.flatMap(({ steps }) => steps);
  expect(steps.some((step) => step.do === 'revoke')).toBe(true);
  expect(steps.some((step) => step.do === 'be patient' && step.windows > 10)).toBe(true);
  expect(steps.some((step) => step.do === 'wait for edge' && step.of === 'day')).toBe(true);
});
