import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { acceptedMix, countAccepted, measureMinute, type Measurement } from '../burst.ts';
import type { Check } from '../check.ts';
import { comeBack } from '../come-back.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { planningLimits, type Key } from '../keys.ts';
import type { Lab } from '../lab.ts';
import { listInventory, updateInventory } from '../operations.ts';
import { cheapest, FREE_LIMIT, freeKeys, useUp } from '../use-up.ts';
import { haveCommonBoundary, type Span } from '../window-phase.ts';
import { report } from './minute-limits.ts';

const PHASES = [0, 0.35, 0.62, 0.93, 20.5, 41.3];

/** Retry-After is true at whatever moment of the window the refusal comes. */
export const retryAfterAtAnyMoment: Check = {
  id: 'retry-after-at-any-moment',
  title: 'Retry-After is long enough at any moment of the window',
  judges: ['retry-after-honoured', 'ban-only-after-continued', 'retry-after-plausible'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: freeKeys(PHASES.length, FREE_LIMIT + 3),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    for (const [index, phase] of PHASES.entries()) {
      const key = lab.keys[index];
      if (key !== undefined && key !== null) {
        await useUp(lab, key);
        await lab.sleep(phase, 'another moment of the window');
        const [pet] = lab.pets;
        const isUpdate = index % 2 === 1 && pet !== undefined;
        const refusal = await lab.send(
          isUpdate ? updateInventory(pet.petId, pet.item.quantity) : listInventory(),
          { key },
        );
        // Where a window ended meanwhile there is nothing to see.
        if (refusal.response.status === 429) {
          await comeBack(lab, key, refusal);
        }
      }
    }
  },
};

const CYCLES = 10;

/** A client that always waits is served again and again, and never beyond the limit. */
export const patientClient: Check = {
  id: 'patient-client',
  title: 'A client that keeps every Retry-After is never banned, and never granted more than its limit',
  judges: ['ban-only-after-continued', 'limit-renews', 'retry-after-honoured'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: freeKeys(1, CYCLES * (FREE_LIMIT + 2)),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const key = lab.key();
    const limit = planningLimits(key).perMinute;
    const began = lab.now();
    let granted = 0;
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const { granted: more, last: exchange } = await goToTheLimit(lab, key);
      granted += more;
      const seconds = (lab.now() - began) / 1000;
      const most = limit * (Math.floor(seconds / MINUTE_SECONDS) + 2);
      const within = lab.judge(
        'limit-renews',
        granted <= most,
        `${key.label} was granted ${granted} requests within ${Math.ceil(seconds)} s; windows of a minute grant ${most} at most.`,
        exchange,
      );
      if (exchange.response.status !== 429 || !within) {
        return;
      }
      const back = await comeBack(lab, key, exchange);
      if (back === null || !isAccepted(back)) {
        return;
      }
      granted += 1;
    }
    lab.judge('ban-only-after-continued', true, '');
  },
};

/** Sends until refused: at once as far as the target itself says that requests remain, then one by one. */
async function goToTheLimit(
  lab: Lab,
  key: Key,
): Promise<{ readonly granted: number; readonly last: Exchange }> {
  const limit = planningLimits(key).perMinute;
  let last = await lab.send(cheapest(lab), { key });
  let granted = countAccepted([last]);
  const shown = rateLimitOf(last);
  if (granted === 1 && shown?.limit === limit && shown.remaining > 0 && shown.remaining < limit) {
    const rest = Array.from({ length: shown.remaining }, () => cheapest(lab));
    granted += countAccepted(await lab.sendAll(rest, key, 16));
  }
  while (isAccepted(last) && granted <= limit + 1) {
    last = await lab.send(cheapest(lab), { key });
    granted += countAccepted([last]);
  }
  return { granted, last };
}

const STARTS = 7;
const START_SPACING_SECONDS = 9;
const PROBE_AFTER_SECONDS = 50;

/** A limit that is reached holds for its minute, wherever in an aligned window it was reached. */
export const windowLength: Check = {
  id: 'window-length',
  title: 'A window is not shorter than a minute',
  judges: ['limit-renews'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: freeKeys(STARTS, FREE_LIMIT + 1),
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const keys = lab.keys.filter((key) => key !== null);
    const steps = keys
      .flatMap((key, index) => [
        { at: index * START_SPACING_SECONDS, key, probes: false },
        { at: index * START_SPACING_SECONDS + PROBE_AFTER_SECONDS, key, probes: true },
      ])
      .toSorted((a, b) => a.at - b.at);
    const began = lab.now();
    const usedUpAt = new Map<Key, number>();
    const letIn: Span[] = [];
    let last: Exchange | undefined;
    for (const { at, key, probes } of steps) {
      await lab.sleep(Math.max(0, at - (lab.now() - began) / 1000), 'the next moment of the window');
      if (probes) {
        const exchange = await lab.send(cheapest(lab), { key });
        if (isAccepted(exchange)) {
          last = exchange;
          letIn.push({ from: usedUpAt.get(key) ?? began, to: exchange.receivedAt });
        }
      } else {
        usedUpAt.set(key, lab.now());
        await useUp(lab, key);
      }
    }
    lab.judge(
      'limit-renews',
      letIn.length < 2 || haveCommonBoundary(letIn),
      `Keys that had reached their limit were granted more within ${PROBE_AFTER_SECONDS} s, at ${letIn.length} moments of the minute that no boundary once a minute explains: the window is shorter than a minute.`,
      last,
    );
  },
};

const SURELY_PASSED_SECONDS = 65;
const TWO_WINDOWS_SECONDS = 125;

/** After a minute some requests are granted again, after two minutes the whole limit. */
export const windowRenews: Check = {
  id: 'window-renews',
  title: 'The limit of a minute renews after a minute',
  judges: ['limit-renews', 'remaining-falls'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [{ plan: 'free', use: 'exhaust', requests: 5 * (FREE_LIMIT + 8) }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const key = lab.key();
    await useUp(lab, key);
    await lab.sleep(SURELY_PASSED_SECONDS, 'the end of the window');
    const exchange = await lab.send(cheapest(lab), { key });
    lab.judge(
      'limit-renews',
      isAccepted(exchange),
      `${key.label} used up its minute without going beyond it, rested ${SURELY_PASSED_SECONDS} s, and was answered ${exchange.response.status}.`,
      exchange,
    );
    await lab.sleep(TWO_WINDOWS_SECONDS, 'a fresh window');
    const measured = await measureMinute(lab, key, { manner: 'one by one', messages: acceptedMix(lab) });
    report(lab, measured, ['limit-renews']);
    judgeRenewedRemaining(lab, key, measured);
  },
};

/** The first response of a window that granted its whole limit showed all but one of it. */
function judgeRenewedRemaining(lab: Lab, key: Key, { verdict, burst }: Measurement): void {
  const [first] = burst.oneByOne;
  const rateLimit = first === undefined ? undefined : rateLimitOf(first);
  const limit = planningLimits(key).perMinute;
  if (verdict === 'exact' && rateLimit?.limit === limit) {
    lab.judge(
      'remaining-falls',
      rateLimit.remaining === limit - 1,
      `X-RateLimit-Remaining is ${rateLimit.remaining} after the first of ${limit} requests of a new window.`,
      first,
    );
  }
}
