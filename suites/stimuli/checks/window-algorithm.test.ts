import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import type { Exchange } from '../../oracle/index.ts';
import { rateLimitFields, sampleExchange } from '../../oracle/exchange.test-data.ts';
import { algorithmShown, readReset } from './window-algorithm.ts';

const LIMIT = 9;
const WITHIN = [0, 20, 40, 70];
const FRESH = 208;

type Resets = (requests: readonly number[]) => readonly number[];

const fromTheFirst: Resets = (requests) => {
  let end = Number.NEGATIVE_INFINITY;
  return requests.map((now) => {
    end = now >= end ? now + 60 : end;
    return end;
  });
};

const aligned =
  (phase: number): Resets =>
  (requests) =>
    requests.map((now) => (Math.floor((now - phase) / 60) + 1) * 60 + phase);

const withTheOldest: Resets = (requests) =>
  requests.map((now, index) => (requests.slice(0, index).find((at) => at > now - 60) ?? now) + 60);

const withTheNewest: Resets = (requests) => requests.map((now) => now + 60);

/** Each request is decided on at some moment between its sending and its answer. */
function exchanges(resets: Resets, began: number, slowness: readonly (readonly [number, number])[]) {
  const times = [...WITHIN, FRESH].map((seconds, index) => {
    const [before, after] = slowness[index] ?? [0, 0];
    return {
      sent: began + seconds,
      decided: began + seconds + before,
      received: began + seconds + before + after,
    };
  });
  const shown = resets(times.map(({ decided }) => decided));
  const all = times.map(({ sent, received }, index) =>
    sampleExchange({
      sentAt: sent * 1000,
      receivedAt: received * 1000,
      headers: rateLimitFields(LIMIT, 1, Math.ceil(shown[index] ?? 0)),
    }),
  );
  return { within: all.slice(0, -1), fresh: all.at(-1) ?? sampleExchange({}) };
}

function shownBy(within: readonly Exchange[], fresh: Exchange, limit = LIMIT) {
  return algorithmShown(
    within.map((exchange) => readReset(exchange, limit)),
    readReset(fresh, limit),
  );
}

const moments = fc.double({ min: 1_000, max: 5_000, noNaN: true });
const slowness = (most: number) =>
  fc.array(
    fc.tuple(fc.double({ min: 0, max: most, noNaN: true }), fc.double({ min: 0, max: most, noNaN: true })),
    {
      minLength: WITHIN.length + 1,
      maxLength: WITHIN.length + 1,
    },
  );

test.for([
  ['a window from the first request', () => fromTheFirst, 'fixed, from the first request'],
  ['windows aligned to a clock', aligned, 'fixed, aligned to the clock'],
  ['a log that resets with its oldest request', () => withTheOldest, 'sliding'],
  ['a log that resets with its newest request', () => withTheNewest, 'sliding'],
] as const)('%s is told at any moment, and a slow answer tells nothing else', ([, resets, expected]) => {
  const phases = fc.double({ min: 0, max: 60, noNaN: true });
  fc.assert(
    fc.property(phases, moments, slowness(0.4), (phase, began, quick) => {
      const { within, fresh } = exchanges(resets(phase), began, quick);
      expect(shownBy(within, fresh)).toBe(expected);
    }),
  );
  fc.assert(
    fc.property(phases, moments, slowness(6), (phase, began, slow) => {
      const { within, fresh } = exchanges(resets(phase), began, slow);
      const tooSlow = expected === 'sliding' ? [undefined] : [];
      expect([expected, ...tooSlow]).toContain(shownBy(within, fresh));
    }),
  );
});

test('headers that speak of another window, and refusals, tell nothing', () => {
  const { within, fresh } = exchanges(fromTheFirst, 0, []);
  const refused: Exchange = { ...fresh, response: { ...fresh.response, status: 429 } };
  expect(shownBy(within, fresh, LIMIT + 1)).toBeUndefined();
  expect(shownBy(within, refused)).toBeUndefined();
});
