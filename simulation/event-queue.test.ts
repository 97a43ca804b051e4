import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { createEventQueue } from './event-queue.ts';

const moment = fc.integer({ min: 0, max: 20 });

test('entries come by moment, equal ones by id, whatever was postponed', () => {
  fc.assert(
    fc.property(fc.array(moment, { minLength: 1, maxLength: 60 }), fc.array(moment), (moments, delays) => {
      const queue = createEventQueue(moments.length);
      moments.forEach((seconds, id) => queue.add(seconds, id));
      let model = moments.map((seconds, id) => ({ seconds, id }));
      const orderModel = (): void => {
        model = model.toSorted((one, other) => one.seconds - other.seconds || one.id - other.id);
      };
      orderModel();
      for (const delay of delays) {
        const [first] = model;
        const later = (first?.seconds ?? 0) + delay;
        queue.postpone(later);
        model = [...model.slice(1), { seconds: later, id: first?.id ?? 0 }];
        orderModel();
      }
      const seen = moments.map(() => {
        const entry = { seconds: queue.seconds(), id: queue.id() };
        queue.removeEarliest();
        return entry;
      });
      expect(seen).toEqual(model);
      expect(queue.size()).toBe(0);
    }),
  );
});

test('an empty queue has nothing due', () => {
  const queue = createEventQueue(3);
  expect(queue.seconds()).toBe(Number.POSITIVE_INFINITY);
});
