import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { keepById } from './by-id.ts';

test('values are kept as in a map, however many there are and whatever their numbers', () => {
  const step = fc.record({
    does: fc.constantFrom('set', 'set', 'delete', 'get'),
    // So that several have the same place.
    id: fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 3 })).map(([place, turn]) => place + 1_024 * turn),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const kept = keepById<{ readonly id: number; readonly at: number }>();
      const known = new Map<number, { readonly id: number; readonly at: number }>();
      for (const [at, { does, id }] of steps.entries()) {
        if (does === 'set' && !known.has(id)) {
          kept.set({ id, at });
          known.set(id, { id, at });
        } else if (does === 'delete') {
          kept.delete(id);
          known.delete(id);
        }
        expect(kept.get(id)).toEqual(known.get(id));
      }
    }),
  );
});
