import { describe, expect, test } from 'vitest';

import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Trail } from '../../../contract/trail.ts';
import { listInventory, updateInventory, wholeRunOf } from '../../target/index.ts';
import type { Check } from '../check.ts';
import { judgeScripted, performScripted } from '../checks/judge-scripted.test-data.ts';
import { observedUpdates } from '../checks/observations.ts';
import { badBodies } from '../checks/refusals.ts';
import { carriedOutThough, rewriting } from '../checks/target-changes.test-data.ts';
import type { TargetChange } from '../checks/scripted-target.test-data.ts';
import { trailCheck, wholeRunCheck } from './trail-check.ts';

const ID = 'no-server-error';

/** Sends requests that are so many seconds apart. */
const slowRow = (requests: number, seconds: number): Check => ({
  id: 'slow-row',
  title: 'A row of requests',
  judges: [ID],
  needs: { profile: 'safe', keys: [{ plan: 'free', use: 'share', requests }] },
  run: async (context) => {
    for (let sent = 0; sent < requests; sent += 1) {
      const exchange = await context.send(listInventory(), { key: context.key() });
      context.judge(ID, exchange.response.status < 500, 'It fails.', exchange);
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

/** Refuses those requests, counted from 1. */
const refusing =
  (isRefused: (number: number) => boolean): TargetChange =>
  (rules, world) => {
    let requests = 0;
    return rewriting(
      () => {
        requests += 1;
        return isRefused(requests);
      },
      () => ({ status: 403, headers: [['Retry-After', '10']] }),
    )(rules, world);
  };

const forgetsUpdates: TargetChange = () => ({ update: (item, quantity) => ({ ...item, quantity }) });

const refusesNegativeOnes: TargetChange = ({ quantityOf }) => ({
  quantityOf: (call) => {
    const quantity = quantityOf(call);
    return quantity !== null && quantity < 0n ? null : quantity;
  },
});

async function trailOf(check: Check, alter: TargetChange, id: RequirementId = ID): Promise<Trail> {
  const trail = (await judgeScripted([check], alter)).judgementOf(id).findings[0]?.trail;
  if (trail === undefined) {
    throw new Error('The check found nothing');
  }
  return trail;
}

async function replay(trail: Trail, alter?: TargetChange, id: RequirementId = ID) {
  return (await judgeScripted([trailCheck(trail, id)], alter)).judgementOf(id).outcome;
}

test('a row that took its time takes no less when it is sent again', async () => {
  const fault = failsAfter(2.5);
  const trail = await trailOf(slowRow(30, 0.1), fault);
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

test('who is not refused the first time may be refused the second time', async () => {
  const id = 'retry-after-honoured';
  const twice: Check = {
    ...slowRow(2, 0),
    judges: [id],
    run: async (context) => {
      const key = context.key();
      await context.send(listInventory(), { key });
      await context.sleep(20, 'what was asked for');
      const exchange = await context.send(listInventory(), { key });
      context.judge(id, false, 'It is refused again.', exchange);
    },
  };
  const fault = refusing(() => true);
  const trail = await trailOf(twice, fault, id);
  expect(trail.expectation).toMatchObject({ answer: 2, refused: 1 });
  expect(await replay(trail, fault, id)).toBe('fail');
  const secondOnly = refusing((number) => number > 1);
  expect(await replay(trail, secondOnly, id)).toBe('pass');
});

test('an update that another target refuses need not be in its list', async () => {
  const id = 'update-persists';
  const update: Check = {
    id: 'update',
    title: 'An update and the list',
    judges: [id],
    needs: { profile: 'standard', keys: [{ plan: 'free', use: 'share', requests: 3 }], pets: 1 },
    run: async (context) => {
      const key = context.key();
      const { petId } = context.pet();
      await context.send(listInventory(), { key });
      await context.send(updateInventory(petId, -5), { key });
      const list = await context.send(listInventory(), { key });
      context.judge(id, false, `Pet ${petId} stands at -5, and the list does not show it.`, list);
    },
  };
  const trail = await trailOf(update, forgetsUpdates, id);
  expect(trail.expectation).toMatchObject({ expect: 'pet', quantities: ['-5'], granted: [[2, 2]] });
  expect(await replay(trail, forgetsUpdates, id)).toBe('fail');
  expect(await replay(trail, refusesNegativeOnes, id)).toBe('pass');
});

const keepsSixteenBits: TargetChange = () => ({
  update: (item, quantity) => ({ ...item, quantity: BigInt.asUintN(16, BigInt(quantity)) }),
});

test.each([
  { check: badBodies, id: 'refused-changes-nothing', fault: carriedOutThough(400) },
  { check: observedUpdates, id: 'update-succeeds', fault: keepsSixteenBits },
  { check: observedUpdates, id: 'update-persists', fault: keepsSixteenBits },
] as const)('what an update did shows again: $check.id, $id', async ({ check, id, fault }) => {
  const { findings } = (await judgeScripted([check], fault)).judgementOf(id);
  const finding = findings.find((one) => one.check === check.id);
  expect(finding?.exchange).toMatchObject({ request: { method: 'PATCH' } });
  const trail = finding?.trail;
  if (trail === undefined) {
    throw new Error('It has no trail');
  }
  expect(trail.expectation).toMatchObject({ expect: 'pet' });
  expect(await replay(trail, fault, id)).toBe('fail');
  expect(await replay(trail, undefined, id)).toBe('pass');
});

/** Lists once, with a key of a plan of its own. */
const listWith = (id: string, plan: 'free' | 'pro'): Check => ({
  ...slowRow(1, 0),
  id,
  needs: { profile: 'safe', keys: [{ plan, use: 'share', requests: 1 }] },
});

/** Fails from the second key on that it sees. */
const servesOneKey: TargetChange = (rules, world) => {
  let first: string | undefined;
  return rewriting(
    (_reply, _call, client) => {
      first ??= client?.secret;
      return client?.secret !== first;
    },
    () => ({ status: 500 }),
  )(rules, world);
};

test('what another check had a part in shows if the whole run is sent again', async () => {
  const checks = [listWith('first', 'pro'), listWith('second', 'free')];
  const { judgements, client } = await performScripted(checks, servesOneKey);
  const trail = judgements.judgementOf(ID).findings[0]?.trail;
  const whole = wholeRunOf(client);
  const place = trail === undefined ? undefined : whole?.placeOf(trail);
  if (trail === undefined || whole === null || place === undefined) {
    throw new Error('The finding has no place in the whole run');
  }
  expect(place.until).toBe(2);
  expect(whole.run.keys.map(({ plan }) => plan)).toEqual(['pro', 'free']);
  expect(await replay(trail, servesOneKey)).toBe('pass');
  const again = wholeRunCheck(whole.run, place, ID);
  expect((await judgeScripted([again], servesOneKey)).judgementOf(ID).outcome).toBe('fail');
  expect((await judgeScripted([again])).judgementOf(ID).outcome).toBe('pass');
  expect(again.needs.control).toEqual(['keys']);
});

test('what another check left a pet at is expected of it in the whole run', async () => {
  const id = 'refused-changes-nothing';
  const updateOf = (check: Pick<Check, 'id' | 'run'>): Check => ({
    title: 'An update',
    judges: [id],
    needs: { profile: 'standard', keys: [{ plan: 'free', use: 'share', requests: 3 }], pets: 1 },
    anonymousRequests: 1,
    ...check,
  });
  let petId = 0n;
  const granted = updateOf({
    id: 'granted',
    run: async (context) => {
      petId = context.pet().petId;
      await context.send(listInventory(), { key: context.key() });
      await context.send(updateInventory(petId, 38), { key: context.key() });
    },
  });
  const refused = updateOf({
    id: 'refused',
    run: async (context) => {
      await context.send(updateInventory(petId, 1), { authorization: [], labels: [] });
      const list = await context.send(listInventory(), { key: context.key() });
      context.judge(id, false, `Pet ${petId} stands as it did, and the list shows 1.`, list);
    },
  });
  const fault = carriedOutThough(401);
  const { judgements, client } = await performScripted([granted, refused], fault);
  const trail = judgements.judgementOf(id).findings[0]?.trail;
  const whole = wholeRunOf(client);
  const place = trail === undefined ? undefined : whole?.placeOf(trail);
  if (whole === null || place === undefined) {
    throw new Error('The finding has no place in the whole run');
  }
  // The third request puts back what the second one changed.
  expect(place.expectation).toMatchObject({ granted: [[3, 3]], refused: [[4, 4]] });
  const again = wholeRunCheck(whole.run, place, id);
  expect((await judgeScripted([again], fault)).judgementOf(id).outcome).toBe('fail');
  expect((await judgeScripted([again])).judgementOf(id).outcome).toBe('pass');
});

test('a finding that one check alone led to has no other place', async () => {
  const { judgements, client } = await performScripted([slowRow(3, 0.1)], failsAfter(0.15));
  const trail = judgements.judgementOf(ID).findings[0]?.trail;
  expect(trail === undefined ? null : wholeRunOf(client)?.placeOf(trail)).toBeUndefined();
});

describe('without an expectation', () => {
  const fault = rewriting(
    () => true,
    () => ({ status: 500 }),
  );

  test('what a check found is left open, whatever the oracle says of other answers', async () => {
    const found = { ...(await trailOf(slowRow(2, 0.01), fault)), expectation: null };
    expect(await replay(found)).toBe('inconclusive');
  });

  test('what the oracle found is for the oracle to tell', async () => {
    const found = {
      ...(await trailOf(slowRow(2, 0.01), fault)),
      expectation: null,
      isOracles: true,
    } as const;
    expect(await replay(found)).toBe('pass');
    expect(await replay(found, fault)).toBe('fail');
  });
});
