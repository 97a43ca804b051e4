import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { acceptedMix, countAccepted, measureMinute, type Measurement } from '../burst.ts';
import type { Check, KeyNeed } from '../check.ts';
import { comeBack } from '../come-back.ts';
import { isAccepted, rateLimitOf, type Exchange } from '../exchange.ts';
import { planningLimits, type Key } from '../keys.ts';
import { Undecided, type Lab } from '../lab.ts';
import { listInventory, listOrders, getPet, updateInventory, updateWithBody } from '../operations.ts';
import { haveCommonBoundary, type Span } from '../window-phase.ts';
import { report } from './minute-limits.ts';

const FREE_LIMIT = 60;

function freeKeys(count: number, requests: number): readonly KeyNeed[] {
  return Array.from({ length: count }, () => ({ plan: 'free', use: 'exhaust', requests }) as const);
}

/** Uses up a minute without being refused once, so that the next request is the first one beyond the limit. */
async function useUp(lab: Lab, key: Key): Promise<void> {
  const limit = planningLimits(key).perMinute;
  const messages = Array.from({ length: limit }, () => cheapest(lab));
  const granted = countAccepted(await lab.sendAll(messages, key, 16));
  if (granted < limit) {
    throw new Undecided(`${key.label} was granted ${granted} of the ${limit} requests that its minute has.`);
  }
}

function cheapest(lab: Lab) {
  const [pet] = lab.pets;
  return pet === undefined ? listInventory() : updateInventory(pet.petId, pet.item.quantity);
}

const FORMS = 10;

/** Each operation and each accepted spelling is the first request beyond the limit once. */
export const limitOverForms: Check = {
  id: 'limit-over-forms',
  title: 'No operation and no spelling of a path escapes a limit that is reached',
  judges: ['limit-over-spellings', 'refusal-is-429'],
  needs: { profile: 'full', control: ['keys'], keys: freeKeys(FORMS, FREE_LIMIT + 1), pets: 1 },
  run: async (lab) => {
    const [pet] = lab.pets;
    if (pet === undefined) {
      throw new Undecided('There is no pet to update.');
    }
    const forms = [
      listInventory(),
      updateInventory(pet.petId, Number(pet.item.quantity) + 1),
      getPet(pet.petId),
      listOrders(),
      ...lab.facts.acceptedForms.map(({ build }) => build(pet)).filter(({ operation }) => operation === null),
    ];
    for (const [index, message] of forms.slice(0, FORMS).entries()) {
      const key = lab.keys[index];
      if (key !== undefined && key !== null) {
        await useUp(lab, key);
        let exchange = await lab.send(message, { key });
        if (isAccepted(exchange)) {
          // The window may have ended in between; it can't have ended twice.
          await useUpRest(lab, key);
          exchange = await lab.send(message, { key });
        }
        const { status } = exchange.response;
        const what = `${message.method} ${message.path}`;
        lab.judge(
          'limit-over-spellings',
          !isAccepted(exchange),
          `${what} was granted (${status}) to ${key.label} when its limit was reached.`,
          exchange,
        );
        if (message.operation !== null && !isAccepted(exchange)) {
          lab.judge(
            'refusal-is-429',
            status === 429,
            `${what} beyond the limit was answered ${status}, not 429.`,
            exchange,
          );
        }
      }
    }
  },
};

/** Uses up what is left of a window that began unnoticed, without being refused. */
async function useUpRest(lab: Lab, key: Key): Promise<void> {
  const probe = await lab.send(cheapest(lab), { key });
  const rateLimit = rateLimitOf(probe);
  const isMinute = rateLimit?.limit === planningLimits(key).perMinute;
  if (isAccepted(probe) && isMinute && rateLimit.remaining > 0) {
    await lab.sendAll(
      Array.from({ length: rateLimit.remaining }, () => cheapest(lab)),
      key,
      16,
    );
  }
}

/** A request that is refused for its content does not give the key a fresh window. */
export const limitSurvivesRefusals: Check = {
  id: 'limit-survives-refusals',
  title: 'A refused request does not renew the limit',
  judges: ['minute-limit-free'],
  needs: { profile: 'full', control: ['keys', 'clock'], keys: freeKeys(3, 2 * FREE_LIMIT + 12), pets: 1 },
  run: async (lab) => {
    const [pet] = lab.pets;
    if (pet === undefined) {
      throw new Undecided('There is no pet to update.');
    }
    const refused = [
      updateWithBody(pet.petId, '{}'),
      updateWithBody(pet.petId, '{"quantity":'),
      updateInventory(404_404_404n, 1),
    ];
    for (const [index, message] of refused.entries()) {
      const key = lab.keys[index];
      if (key !== undefined && key !== null) {
        const most = planningLimits(key).perMinute;
        const opening = Array.from({ length: most - 2 }, () => cheapest(lab));
        const first = await lab.sendAll(opening, key, 16);
        const refusal = await lab.send(message, { key });
        const last = [];
        for (let sent = 0; sent < 4; sent += 1) {
          last.push(await lab.send(cheapest(lab), { key }));
        }
        const shown = rateLimitOf(last[0] ?? refusal);
        const granted = countAccepted(first) + countAccepted(last);
        // A new window shows itself by what remains of it, unless it was the refusal that opened it.
        const before = rateLimitOf(first.at(-1) ?? refusal);
        const hasMoved = before !== undefined && shown !== undefined && before.reset !== shown.reset;
        if (granted > most && hasMoved) {
          await lab.sleep(2 * MINUTE_SECONDS + 13, 'another phase of the window');
          const again = countAccepted(await lab.sendAll(opening, key, 16));
          await lab.send(message, { key });
          const more = [
            await lab.send(cheapest(lab), { key }),
            await lab.send(cheapest(lab), { key }),
            await lab.send(cheapest(lab), { key }),
          ];
          lab.judge(
            'minute-limit-free',
            again + countAccepted(more) <= most,
            describeRenewal(key, refusal),
            more.at(-1),
          );
        } else {
          lab.judge('minute-limit-free', granted <= most, describeRenewal(key, refusal), last.at(-1));
        }
      }
    }
  },
};

function describeRenewal(key: Key, { request, response }: Exchange): string {
  return `${key.label} was granted more than its minute's limit, with one ${request.method} in between that was answered ${response.status}.`;
}

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

const WITNESS_REQUESTS = 6;

/** A key at its limit changes nothing for others, of its own plan or another. */
export const keysAtLimit: Check = {
  id: 'keys-at-limit',
  title: 'A key at its limit leaves other keys untouched',
  judges: ['keys-independent-at-limit'],
  needs: {
    profile: 'full',
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'exhaust', requests: FREE_LIMIT + 24 },
      ...(['free', 'pro', 'business', 'enterprise'] as const).map((plan): KeyNeed => ({
        plan,
        use: 'share',
        requests: WITNESS_REQUESTS,
      })),
    ],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (lab) => {
    const [exhausted, ...witnesses] = lab.keys.filter((key) => key !== null);
    if (exhausted === undefined) {
      throw new Undecided('There is no key to exhaust.');
    }
    // Keys that were there before the run may share a counter with new ones.
    witnesses.push(...lab.facts.idleKeys);
    const before = await Promise.all(witnesses.map((witness) => lab.send(listInventory(), { key: witness })));
    await useUp(lab, exhausted);
    await lab.send(cheapest(lab), { key: exhausted });
    for (const [index, witness] of witnesses.entries()) {
      // A configured key may have been at its limit before; then it bears no witness.
      const served = before[index];
      if (served === undefined || !isAccepted(served)) {
        continue;
      }
      await judgeUntouched(
        lab,
        'keys-independent-at-limit',
        witness,
        served,
        `${exhausted.label} was at its limit`,
      );
    }
  },
};

/** Judges that a key is served as before, and that its remaining requests fell by one only. */
export async function judgeUntouched(
  lab: Lab,
  id: 'keys-independent-at-limit' | 'keys-independent-in-ban',
  witness: Key,
  before: Awaited<ReturnType<Lab['send']>> | undefined,
  circumstance: string,
): Promise<void> {
  const after = await lab.send(listInventory(), { key: witness });
  const served = lab.judge(
    id,
    isAccepted(after),
    `${witness.label} was answered ${after.response.status} while ${circumstance}.`,
    after,
  );
  const was = before === undefined ? undefined : rateLimitOf(before);
  const is = rateLimitOf(after);
  if (served && was !== undefined && is !== undefined && was.limit === is.limit) {
    lab.judge(
      id,
      is.remaining >= was.remaining - 1,
      `${witness.label} had ${was.remaining} requests remaining and, one request later, ${is.remaining}, while ${circumstance}.`,
      after,
    );
  }
}
