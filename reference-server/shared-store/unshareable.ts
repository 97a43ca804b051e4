import type { Alteration } from '../alterations/alteration.ts';
import { createRateLimiter } from '../service/rate-limiter.ts';
import { createParts } from '../start.ts';
import { createVirtualClock } from '../service/clock.ts';
import { createInventoryStore } from '../service/inventory-store.ts';
import { createKeyStore } from '../service/key-store.ts';
import { windowFromFirstRequest } from '../service/window.ts';

/** A part that an alteration replaces, so that the shared state would no longer decide. */
export type UnshareablePart = 'window' | 'clock' | 'keys' | 'limiter' | 'inventory';

/** The parts that hold state and that an alteration replaces or wraps. */
export function replacedParts({ options, parts }: Alteration): readonly UnshareablePart[] {
  const altered = options?.({}) ?? {};
  const original = createParts(altered, {
    clock: createVirtualClock(),
    keys: createKeyStore([]),
    limiter: createRateLimiter(windowFromFirstRequest),
    inventory: createInventoryStore([]),
  });
  const replaced = { ...original, ...parts?.(original) };
  const stores = (['clock', 'keys', 'limiter', 'inventory'] as const).filter(
    (name) => replaced[name] !== original[name],
  );
  return altered.window === undefined ? stores : ['window', ...stores];
}
