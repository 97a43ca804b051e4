import { setImmediate as turn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { PLANS, PLAN_LIMITS, type Plan, type PlanLimits } from '../../contract/plans.ts';
import { requestsOf, type KeyNeed, leaseConfiguredKeys, keepTime, type Timekeeper } from '../target/index.ts';
import type { Check } from '../stimuli/check.ts';
import { freeKey } from '../oracle/monitors/watch.test-data.ts';
import { performGroup } from './perform-plan.ts';
import { planningLimits, type Key, followServerClock } from '../oracle/index.ts';

function keyOf(label: string): Key {
  const plan = PLANS.find((name) => label.startsWith(name)) ?? 'free';
  const limits: PlanLimits = plan === 'enterprise' ? { perMinute: 90, perDay: 4_000 } : PLAN_LIMITS[plan];
  return freeKey({ label, secret: `secret-${label}`, plan, limits, issued: false });
}

const share = (plan: Plan | 'any', requests = 5): KeyNeed => ({ plan, use: 'share', requests });
const spare = (plan: Plan | 'any', requests = 5): KeyNeed => ({ plan, use: 'spare', requests });
const exhaust = (plan: Plan | 'any'): KeyNeed => ({
  plan,
  use: 'exhaust',
  requests: ({ perMinute }) => perMinute + 8,
});
const exhaustIfSpared = (plan: Plan): KeyNeed => ({ ...exhaust(plan), optional: true, ifSpared: true });
const provoke: KeyNeed = { plan: 'any', use: 'ban', requests: ({ perMinute }) => perMinute + 30 };

function checkOf(...keys: readonly KeyNeed[]): Check {
  return {
    id: 'sample',
    title: 'A sample',
    judges: [],
    needs: { profile: 'full', keys },
    run: () => Promise.resolve(),
  };
}

/** Time that passes at once if everyone waits for it. */
function quickTime(onMove: (seconds: number) => void = () => {}): Timekeeper {
  let now = 1_800_000_000;
  const read = () => ({ now, sentAt: 0, receivedAt: 0 });
  const move = (seconds: number) => {
    onMove(seconds);
    now += seconds;
    return Promise.resolve(read());
  };
  const control = { flows: false, reading: read(), move };
  return keepTime(control, followServerClock(), new AbortController().signal);
}

function leasesOver(labels: readonly string[], checks: readonly Check[]) {
  const keys = labels.map(keyOf);
  const time = quickTime();
  return { keys, time, leases: leaseConfiguredKeys(keys, checks, time) };
}

const labelsOf = (keys: readonly (Key | null)[]) => keys.map((key) => key?.label ?? null);

/** Lets a lease that can be granted be granted; whether it was. */
async function isGranted(lease: Promise<unknown>): Promise<boolean> {
  return Promise.race([lease.then(() => true), turn(false)]);
}

interface Course {
  readonly finished: number;
  readonly expected: number;
  /** A key that two held at once, and a key granted that does not serve the need. */
  readonly breaches: readonly string[];
}

/**
 * Has all checks that meet no obstacle lease, use and release their keys side by side, as a run does, until they
 * are done or nothing moves any more.
 */
async function runAll(labels: readonly string[], checks: readonly Check[]): Promise<Course> {
  const { leases, time } = leasesOver(labels, checks);
  const runnable = checks.filter(({ needs }) => leases.obstacle(needs.keys) === null);
  const held = new Set<Key>();
  const breaches: string[] = [];
  let finished = 0;
  const perform = async ({ needs }: Check): Promise<void> => {
    const keys = await leases.lease(needs.keys);
    for (const [index, key] of keys.entries()) {
      const need = needs.keys[index];
      if (need !== undefined && key !== null) {
        if (held.has(key)) {
          breaches.push(`${key.label} was held twice`);
        }
        if (!leases.candidates(need).includes(key)) {
          breaches.push(`${key.label} was granted for ${need.use} of ${need.plan}`);
        }
        held.add(key);
        const { perMinute } = planningLimits(key);
        const requests = Math.min(requestsOf(need, planningLimits(key)), perMinute);
        key.usage.sentAt.push(...Array.from({ length: requests }, () => time.now()));
      } else if (need?.optional !== true) {
        breaches.push('a need was not met');
      }
    }
    await time.sleep(1, 'responses');
    for (const key of keys) {
      if (key !== null) {
        held.delete(key);
        leases.release(key);
      }
    }
    finished += 1;
  };
  await turnUntilDone(performGroup(runnable, leases, (check) => time.participate(() => perform(check))));
  return { finished, expected: runnable.length, breaches };
}

// Every wait in these runs ends within a few turns of the event loop, or never.
const TURNS = 3_000;

async function turnUntilDone(work: Promise<unknown>): Promise<void> {
  const done = work.then(() => true);
  for (let turns = 0; turns < TURNS; turns += 1) {
    if (await Promise.race([done, turn(false)])) {
      return;
    }
  }
}

const anyKeys = fc
  .record({
    free: fc.nat({ max: 6 }),
    pro: fc.nat({ max: 4 }),
    business: fc.nat({ max: 1 }),
    enterprise: fc.nat({ max: 1 }),
  })
  .map((counts) =>
    PLANS.flatMap((plan) => Array.from({ length: counts[plan] }, (_, index) => `${plan}#${index + 1}`)),
  )
  .filter((labels) => labels.length > 0);

describe('configured keys', () => {
  const anyNeeds: fc.Arbitrary<readonly KeyNeed[]> = fc.oneof(
    fc
      .constantFrom<Plan | 'any'>('any', 'free', 'pro')
      .chain((plan) => fc.integer({ min: 1, max: 40 }).map((requests) => [share(plan, requests)])),
    fc.constantFrom(...PLANS).map((plan) => [exhaust(plan)]),
    fc.constant([provoke, share('any'), { ...share('free'), optional: true as const }]),
    fc.constantFrom<Plan | 'any'>('any', 'pro').map((plan) => [spare(plan)]),
    fc.constant([share('any'), share('any')]),
    fc.constant([exhaust('free'), share('pro')]),
    fc.constant([exhaust('pro'), exhaust('pro')]),
    fc.constantFrom(...PLANS).map((plan) => [exhaust(plan), exhaustIfSpared(plan)]),
    fc.constant([]),
  );

  test('are held by one check at a time, and no check waits for ever', async () => {
    const checks = fc.array(anyNeeds, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(anyKeys, checks, async (labels, needs) => {
        const course = await runAll(
          labels,
          needs.map((keys) => checkOf(...keys)),
        );
        expect(course).toEqual({ finished: course.expected, expected: course.expected, breaches: [] });
      }),
      { numRuns: 300 },
    );
  });

  test('are all granted at once, or none', async () => {
    const { leases, time, keys } = leasesOver(['free#1', 'free#2'], []);
    await time.participate(async () => {
      await leases.lease([share('free')]);
      const both = time.participate(() => leases.lease([share('free'), share('free')]));
      const one = time.participate(() => leases.lease([share('free')]));
      expect(await isGranted(both)).toBe(false);
      // The claim that waits for two does not withhold the one that is free.
      expect(labelsOf(await one)).toEqual(['free#2']);
      for (const key of keys) {
        leases.release(key);
      }
      expect(labelsOf(await both)).toEqual(['free#1', 'free#2']);
    });
  });

  test('begin with a fresh window if they are to be exhausted', async () => {
    const { leases, time, keys } = leasesOver(['free#1', 'free#2'], [checkOf(exhaust('free'))]);
    const [first] = keys;
    first?.usage.sentAt.push(time.now());
    const began = time.now();
    await time.participate(() => leases.lease([exhaust('free')]));
    expect(time.now() - began).toBeGreaterThanOrEqual(60_000);
  });

  test('have room for all requests of who shares them', async () => {
    const { leases, time, keys } = leasesOver(['free#1'], []);
    keys[0]?.usage.sentAt.push(...Array.from({ length: 50 }, () => time.now()));
    const began = time.now();
    await time.participate(() => leases.lease([share('any', 10)]));
    expect(time.now() - began).toBe(0);
    leases.release(keys[0] ?? keyOf('free#1'));
    await time.participate(() => leases.lease([share('any', 11)]));
    expect(time.now() - began).toBeGreaterThanOrEqual(60_000);
  });
});

test('no time passes for who still runs while another waits for two keys', async () => {
  let moved = 0;
  const time = quickTime((seconds) => {
    moved += seconds;
  });
  const keys = [keyOf('free#1'), keyOf('free#2')];
  for (const key of keys) {
    key.usage.sentAt.push(...Array.from({ length: 60 }, () => time.now()));
  }
  const leases = leaseConfiguredKeys(keys, [], time);
  await Promise.all([
    time.participate(() => leases.lease([share('free'), share('free')])),
    time.participate(async () => {
      for (let turns = 0; turns < 10; turns += 1) {
        await turn();
      }
      expect(moved).toBe(0);
    }),
  ]);
  expect(moved).toBeGreaterThanOrEqual(60);
});

test('a key is free again if its lease fails for want of time', async () => {
  const time = keepTime(null, followServerClock(), new AbortController().signal);
  const key = keyOf('free#1');
  const leases = leaseConfiguredKeys([key], [], time);
  key.usage.retryAt = time.now() + 3_600_000;
  await expect(time.participate(() => leases.lease([share('free')]))).rejects.toThrow('free#1');
  key.usage.retryAt = 0;
  expect(labelsOf(await time.participate(() => leases.lease([share('free')])))).toEqual(['free#1']);
});

test('what can be spared is what is left when all exhausting is done', async () => {
  const { leases, time, keys } = leasesOver(['free#1', 'free#2', 'free#3'], [checkOf(exhaust('free'))]);
  await time.participate(async () => {
    const shared = await leases.lease([share('free'), share('free')]);
    expect(new Set(labelsOf(shared))).toEqual(new Set(['free#2', 'free#3']));
    const spared = time.participate(() => leases.lease([spare('free')]));
    expect(await isGranted(spared)).toBe(false);
    await leases.lease([exhaust('free')]);
    leases.release(keys[0] ?? keyOf('free#1'));
    expect(labelsOf(await spared)).toEqual(['free#1']);
  });
});

describe('a key of its own', () => {
  const first = checkOf(exhaust('free'), exhaustIfSpared('free'));
  const second = checkOf(exhaust('pro'));
  const third = checkOf(exhaust('pro'));
  const ban = checkOf(provoke);

  /** Which key each need that exhausts one gets, while the others are held. */
  const granted = async (labels: readonly string[], sharing: readonly KeyNeed[]) => {
    const checks = [ban, first, second, third, ...sharing.map((need) => checkOf(need))];
    const { leases } = leasesOver(labels, checks);
    const all = await Promise.all([first, second].map(({ needs }) => leases.lease(needs.keys)));
    const waiting = leases.lease(third.needs.keys);
    return [...all.map(labelsOf), (await isGranted(waiting)) ? labelsOf(await waiting) : 'waits'];
  };
  const many = ['free#1', 'free#2', 'free#3', 'free#4', 'pro#1', 'pro#2', 'pro#3'];

  test('spares a second window, as long as others carry what keeps within the limits', async () => {
    const free = share('free');
    const pro = share('pro');
    expect(await granted(many, [free, pro])).toEqual([['free#1', 'free#3'], ['pro#1'], ['pro#2']]);
    // Nobody else could carry what needs a key of that plan.
    const few = many.filter((label) => label !== 'free#4' && label !== 'pro#3');
    expect(await granted(few, [free, pro])).toEqual([['free#1', null], ['pro#1'], 'waits']);
    // It would fit no minute of the others.
    const much = Array.from({ length: 8 }, () => share('any', 50));
    expect(await granted(few, much)).toEqual([['free#1', null], ['pro#1'], 'waits']);
    expect(await granted(few, [])).toEqual([['free#1', 'free#3'], ['pro#1'], ['pro#2']]);
  });
});

describe('the key that gets banned', () => {
  const banning = checkOf(provoke, share('any'));
  const exhausting = PLANS.map((plan) => checkOf(exhaust(plan)));

  test.each([
    { what: 'the one that nothing else exhausts', labels: ['free#1', 'free#2', 'pro#1'], banned: 'free#2' },
    { what: 'the smallest of two plans', labels: ['business#1', 'pro#1'], banned: 'pro#1' },
    { what: 'the smallest spare', labels: ['pro#1', 'pro#2', 'free#1', 'free#2'], banned: 'free#2' },
  ])('is $what', ({ labels, banned }) => {
    const { leases } = leasesOver(labels, [banning, ...exhausting]);
    expect(labelsOf(leases.candidates(provoke))).toEqual([banned]);
  });

  test('is none if it is the only one', () => {
    const { leases } = leasesOver(['free#1'], [banning, ...exhausting]);
    expect(leases.candidates(provoke)).toEqual([]);
  });

  test('is not shared before it was banned', async () => {
    const { leases, time } = leasesOver(['free#1', 'free#2', 'free#3'], [banning, ...exhausting]);
    await time.participate(async () => {
      const first = await leases.lease([share('free')]);
      const second = time.participate(() => leases.lease([share('free')]));
      expect(labelsOf(first)).toEqual(['free#3']);
      expect(await isGranted(second)).toBe(false);
    });
  });
});

test('a key that is banned still is shared only if no other comes free', async () => {
  const { leases, time, keys } = leasesOver(['free#1', 'free#2'], []);
  const [banned = keyOf('free#1'), other = keyOf('free#2')] = keys;
  banned.usage.isBanned = true;
  await time.participate(async () => {
    expect(labelsOf(await leases.lease([share('free')]))).toEqual(['free#2']);
    const next = time.participate(() => leases.lease([share('free')]));
    expect(await isGranted(next)).toBe(false);
    leases.release(other);
    expect(labelsOf(await next)).toEqual(['free#2']);
    leases.release(other);
    expect(labelsOf(await leases.lease([share('free'), share('free')]))).toEqual(['free#2', 'free#1']);
  });
});

test('what can be spared waits for a key that is held rather than for one without room for two windows', async () => {
  const time = keepTime(null, followServerClock(), new AbortController().signal);
  const keys = [keyOf('free#1'), keyOf('free#2')] as const;
  const [held, used] = keys;
  const leases = leaseConfiguredKeys(keys, [checkOf(exhaust('free'))], time);
  await time.participate(async () => {
    expect(await leases.lease([exhaust('free')])).toEqual([held]);
    used.usage.retryAt = time.now() + 150_000;
    const spared = time.participate(() => leases.lease([spare('free')]));
    expect(await isGranted(spared)).toBe(false);
    leases.release(held);
    expect(await spared).toEqual([held]);
    leases.release(held);
    keys.forEach(({ usage }) => (usage.retryAt = time.now() + 150_000));
    await expect(leases.lease([spare('free')])).rejects.toThrow('No key had room left');
  });
});

test('a single key is shared before it is exhausted', async () => {
  const { leases, time, keys } = leasesOver(['free#1'], [checkOf(exhaust('free')), checkOf(share('any'))]);
  await time.participate(async () => {
    const exhausting = time.participate(() => leases.lease([exhaust('free')]));
    expect(await isGranted(exhausting)).toBe(false);
    expect(labelsOf(await leases.lease([share('any')]))).toEqual(['free#1']);
    leases.release(keys[0] ?? keyOf('free#1'));
    expect(await isGranted(exhausting)).toBe(false);
    leases.sharingIsOver();
    expect(labelsOf(await exhausting)).toEqual(['free#1']);
  });
});

test.each([
  { needs: [share('any'), share('any', 200), share('any', 200)], labels: ['free#1', 'business#1', 'pro#1'] },
  { needs: [share('any'), share('pro')], labels: ['free#1', 'pro#1'] },
  { needs: [{ ...share('any'), optional: true as const }, share('pro')], labels: [null, 'pro#1'] },
])('a need that any key meets leaves $labels to others', async ({ needs, labels }) => {
  const given = ['business#1', 'pro#1', 'free#1'].filter((label) => labels.includes(label));
  const { leases, time } = leasesOver(given, []);
  const lease = time.participate(() => leases.lease(needs));
  expect(await isGranted(lease)).toBe(true);
  expect(labelsOf(await lease)).toEqual(labels);
});

describe('an obstacle', () => {
  const unlimited: Key = { ...keyOf('enterprise#1'), limits: null };

  test.each([
    { needs: [{ ...share('free'), usedToday: () => 990 }], says: 'usedToday' },
    { needs: [share('any', 1_000)], says: 'No configured key has enough requests a minute' },
    { needs: [exhaust('pro')], says: 'No pro key was given (--key pro=…)' },
    { needs: [provoke], says: 'give one more key' },
    { needs: [share('any'), share('any')], says: 'more keys than were given' },
  ])('says "$says"', ({ needs, says }) => {
    const { leases } = leasesOver(['free#1'], [checkOf(...needs)]);
    expect(leases.obstacle(needs)).toContain(says);
  });

  test('says that the limits of an enterprise key are wanted', () => {
    const need = exhaust('enterprise');
    const leases = leaseConfiguredKeys([unlimited], [checkOf(need)], quickTime());
    expect(leases.obstacle([need])).toContain('perMinute, perDay');
  });

  test('is said of two needs that only one key could meet', () => {
    const needs = [exhaust('free'), exhaust('free')];
    expect(leasesOver(['free#1'], [checkOf(...needs)]).leases.obstacle(needs)).not.toBeNull();
    expect(leasesOver(['free#1', 'free#2'], [checkOf(...needs)]).leases.obstacle(needs)).toBeNull();
    const twoPlans = [share('pro'), share('pro')];
    expect(leasesOver(['free#1', 'pro#1'], []).leases.obstacle(twoPlans)).not.toBeNull();
  });
});
