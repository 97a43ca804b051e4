import { expect, test } from 'vitest';

import { DAY_SECONDS } from '../../../contract/plans.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Trail } from '../../../contract/trail.ts';
import { listInventory } from '../../target/index.ts';
import type { Check } from '../../stimuli/check.ts';
import { judgeScripted } from '../scripted/judge-scripted.test-data.ts';
import { observedUpdates } from '../../stimuli/checks/observations.ts';
import { keylessReads } from '../../stimuli/checks/missing-keys.ts';
import { rewriting, type TargetChange } from '../scripted/scripted-target.test-data.ts';
import { petsWrittenBy, trailCheck } from './trail-check.ts';

const ID = 'no-server-error';

/** Sends requests that are so many seconds apart. */
const slowRow = (requests: number, seconds: number): Check => ({
  id: 'slow-row',
  title: 'A row of requests',
  judges: [ID],
  needs: { profile: 'safe', keys: [{ plan: 'free', use: 'share', requests }] },
  run: async (context) => {
    for (let sent = 0; sent < requests; sent += 1) {
      await context.send(listInventory(), { key: context.key() });
      await context.sleep(seconds, 'the next request');
    }
  },
});

/** Fails when the first request is so many seconds ago. */
const failsAfter =
  (seconds: number): TargetChange =>
  (rules, world) => {
    let first = Infinity;
    return rewriting(
      () => {
        first = Math.min(first, world.now);
        return world.now - first >= seconds;
      },
      () => ({ status: 500 }),
    )(rules, world);
  };

async function trailOf(check: Check, alter: TargetChange, id: RequirementId = ID): Promise<Trail> {
  const trail = (await judgeScripted([check], alter)).judgementOf(id).findings[0]?.trail;
  if (trail === undefined) {
    throw new Error('The check found nothing');
  }
  return trail;
}

async function replay(trail: Trail, alter?: TargetChange, id: RequirementId = ID, isTelling = true) {
  return (await judgeScripted([trailCheck(trail, id, isTelling)], alter)).judgementOf(id).outcome;
}

test('a row that took its time takes no less when it is sent again', async () => {
  const fault = failsAfter(2.5);
  const trail = await trailOf(slowRow(10, 0.6), fault);
  expect(await replay(trail, fault)).toBe('fail');
  expect(await replay(trail)).toBe('pass');
});

/** Refuses the first request with a Retry-After, and fails until so many seconds have passed since. */
const failsUntil =
  (retryAfter: number, seconds: number): TargetChange =>
  (rules, world) => {
    let first = Infinity;
    return rewriting(
      () => world.now < first + seconds,
      () => {
        const isFirst = first === Infinity;
        first = Math.min(first, world.now);
        return isFirst ? { status: 403, headers: [['Retry-After', `${retryAfter}`]] } : { status: 500 };
      },
    )(rules, world);
  };

test('a wait that was longer than it had to be takes no less than is asked for when it is sent again', async () => {
  const fault = failsUntil(10, 30);
  const trail = await trailOf(slowRow(2, 20), fault);
  expect(trail.steps.find((step) => step.do === 'wait')).toMatchObject({ seconds: 20, outlasts: 1 });
  expect(await replay(trail, fault)).toBe('fail');
  expect(await replay(trail, failsUntil(40, 40))).toBe('pass');
});

test('who was asked for no wait waits when another target asks for one', async () => {
  const fault = failsUntil(0, 30);
  const trail = await trailOf(slowRow(2, 0.1), fault);
  expect(trail.steps.find((step) => step.do === 'wait')).toMatchObject({ told: 1 });
  expect(await replay(trail, fault)).toBe('fail');
  expect(await replay(trail, failsUntil(40, 40))).toBe('pass');
});

test('a short row is one step', async () => {
  const { steps } = await trailOf(slowRow(5, 0.01), failsAfter(0.02));
  expect(steps.filter((step) => step.do === 'send')).toHaveLength(1);
});

const keepsSixteenBits: TargetChange = () => ({
  update: (item, quantity) => ({ ...item, quantity: BigInt.asUintN(16, BigInt(quantity)) }),
});

test('what an update did shows again', async () => {
  const id = 'update-succeeds';
  const trail = await trailOf(observedUpdates, keepsSixteenBits, id);
  expect(petsWrittenBy(trail)).toHaveLength(1);
  expect(await replay(trail, keepsSixteenBits, id)).toBe('fail');
  expect(await replay(trail, undefined, id)).toBe('pass');
});

const fails = rewriting(
  () => true,
  () => ({ status: 500 }),
);

test('what the answers of a trail do not tell is left open, unless they are accused', async () => {
  const trail = await trailOf(slowRow(2, 0.01), fails);
  expect(await replay(trail, undefined, ID, false)).toBe('inconclusive');
  expect(await replay(trail, fails, ID, false)).toBe('fail');
});

/** A request without a key is served, as one of a client without limits. */
const withoutKey: TargetChange = ({ authenticate }) => {
  const client = { secret: '', perMinute: 100_000, perDay: 1_000_000, usedToday: 0, revoked: false };
  return {
    authenticate: (call) => (call.authorization.length === 0 ? client : authenticate(call)),
  };
};

test('a target that limits requests without a key does not show how it answers them otherwise', async () => {
  const limiting = rewriting(
    (_reply, { authorization }) => authorization.length === 0,
    () => ({ status: 429, headers: [['Retry-After', '30']] }),
  );
  const trail = await trailOf(keylessReads, withoutKey, 'missing-key');
  expect(await replay(trail, withoutKey, 'missing-key')).toBe('fail');
  expect(await replay(trail, limiting, 'missing-key')).toBe('inconclusive');
  expect(await replay(trail, undefined, 'missing-key')).toBe('pass');
});

test.each([
  [30 * DAY_SECONDS, 'pass'],
  [32 * DAY_SECONDS, 'inconclusive'],
] as const)('after a refusal that asks to wait for %d s a trail is: %s', async (seconds, outcome) => {
  const trail = await trailOf(slowRow(2, 20), failsUntil(10, 30));
  expect(await replay(trail, failsUntil(seconds, 1))).toBe(outcome);
});

test.each([
  ['some seconds later on that day', 3, 0],
  ['the next day', 3_600, 82_800],
] as const)('a trail begins at the same time of day: %s', async (_, late, waited) => {
  const { steps, ...rest } = await trailOf(slowRow(1, 0), fails);
  let passed = 0;
  const at =
    (later: number): TargetChange =>
    (_rules, world) => {
      const began = world.now;
      return rewriting(
        () => {
          passed = world.now - began - later;
          return false;
        },
        () => ({}),
      )(_rules, world);
    };
  await replay({ ...rest, startedAt: (rest.startedAt ?? 0) - late, steps }, at(0));
  expect(Math.abs(passed - waited)).toBeLessThan(3);
});
