import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { isAccepted } from './exchange.ts';
import { ALGORITHMS, anyModel, observe, type ModelFlight } from './limits/limiter-models.test-data.ts';
import { mostRoomMade } from './sliding-room.ts';

const at = (seconds: number): ModelFlight => {
  const now = seconds * 1000;
  return { sentAt: now, decidedAt: now, receivedAt: now, fate: 'accepted' };
};

const models = anyModel(ALGORITHMS).filter(({ windowSeconds }) => windowSeconds === 60);
const within = fc.double({ min: 0, max: 59, noNaN: true });

test('a limiter that grants more within a minute has made room for no more, or begun a new window', () => {
  fc.assert(
    fc.property(models, within, within, (model, one, other) => {
      const { limit } = model;
      const [early, late] = [Math.min(one, other), Math.max(one, other)];
      const moments = [0, early, late].flatMap((moment) => Array.from({ length: limit + 1 }, () => moment));
      const { exchanges } = observe(model, moments.map(at));
      const granted = exchanges.filter(isAccepted).length;
      const slides = model.algorithm.startsWith('sliding');
      expect(granted - limit).toBeLessThanOrEqual(slides ? mostRoomMade(limit, late) : limit);
    }),
  );
});

test.each([
  [9, 4.5, 0],
  [9, 5, 1],
  [60, 0, 2],
  [1, 57, 0],
])('a limit of %i a minute has after %d s room for %i at most', (limit, seconds, room) => {
  expect(mostRoomMade(limit, seconds)).toBe(room);
});
