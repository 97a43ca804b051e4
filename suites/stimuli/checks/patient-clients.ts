import { DAY_SECONDS } from '../../../contract/plans.ts';
import { needsOfIssuedKeys, type Check } from '../check.ts';
import { comeBackAsTold } from '../provoking/honour-retry-after.ts';
import { isAccepted } from '../../oracle/index.ts';
import { listInventory } from '../../target/index.ts';
import { agreedKey, cheapestRequest, OF_TWO, smallKeys, useUp } from '../provoking/use-up.ts';

// Seconds between the last request that was granted and the refusal.
const PHASES = [
  { seconds: 0, isHurried: false },
  { seconds: 0.35, isHurried: false },
  { seconds: 0.62, isHurried: false },
  { seconds: 0.93, isHurried: false },
  { seconds: 20.5, isHurried: false },
  { seconds: 41.3, isHurried: false },
  { seconds: 23.4, isHurried: true },
  { seconds: 44.7, isHurried: true },
  // Near the end, where a short wait may be rounded to none, or to what was said before.
  { seconds: 54.6, isHurried: false },
  { seconds: 57.2, isHurried: false },
  { seconds: 58.4, isHurried: false },
  { seconds: 59.3, isHurried: false },
];

/** Retry-After is true at whatever moment of the window the refusal comes. */
export const retryAfterAtAnyMoment: Check = {
  id: 'retry-after-at-any-moment',
  title: 'Retry-After is long enough at any moment of the window',
  judges: ['retry-after-honoured', 'ban-only-after-continued'],
  needs: needsOfIssuedKeys(smallKeys(PHASES.length)),
  run: async (context) => {
    for (const [index, { seconds, isHurried }] of PHASES.entries()) {
      const key = context.key(index);
      await useUp(context, key);
      if (isHurried) {
        // The later refusal knows of this one, whatever it counts.
        await context.send(cheapestRequest(context), { key });
      }
      await context.sleep(seconds, 'another moment of the window');
      const message = index % 2 === 1 ? cheapestRequest(context) : listInventory();
      const refusal = await context.send(message, { key });
      // If a window ended meanwhile, there is nothing to see.
      await comeBackAsTold(context, key, refusal, message);
    }
  },
};

const MANY_CYCLES = 32;
// Cycles after which a whole day passes.
const DAYS_AFTER: ReadonlySet<number> = new Set([24, 27]);
// If a window slides, Retry-After is over long before Reset.
const APART_SECONDS = 20;

/** A client that waits as it is told is served, however many windows it uses up. */
export const patientForLong: Check = {
  id: 'patient-for-long',
  title: 'A client that keeps every Retry-After is not banned after many windows, nor after days of them',
  judges: ['ban-only-after-continued', 'retry-after-honoured'],
  needs: needsOfIssuedKeys([agreedKey(OF_TWO, (MANY_CYCLES + 1) * (OF_TWO.perMinute + 2))]),
  run: async (context) => {
    const key = context.key();
    for (let cycle = 1; cycle <= MANY_CYCLES; cycle += 1) {
      if (DAYS_AFTER.has(cycle)) {
        await context.sleep(DAY_SECONDS, `another day of ${key.label}`);
      }
      let last = await context.send(cheapestRequest(context), { key });
      for (let sent = 1; isAccepted(last) && sent <= 2 * OF_TWO.perMinute; sent += 1) {
        if (cycle % 2 === 0 && sent < OF_TWO.perMinute) {
          await context.sleep(APART_SECONDS, 'another moment of the window');
        }
        last = await context.send(cheapestRequest(context), { key });
      }
      if (!(await comeBackAsTold(context, key, last))) {
        return;
      }
    }
  },
};
