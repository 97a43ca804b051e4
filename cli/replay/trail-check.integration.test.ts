import { expect, test } from 'vitest';

import { DAY_SECONDS } from '../../contract/plans.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Trail } from '../../contract/trail.ts';
import { headerOf, withHeader, type Alteration, type ServiceResponse } from '../../reference-server/index.ts';
import { keylessReads } from '../../suites/stimuli/checks/missing-keys.ts';
import { observedUpdates } from '../../suites/stimuli/checks/observations.ts';
import { listInventory } from '../../suites/target/index.ts';
import { petsWrittenBy, trailCheck, type Check } from '../../suites/verify/index.ts';
import { alterationOf, answering, judgeAltered } from '../verify/run.test-data.ts';

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

/** Answers a check otherwise, by the seconds since its first request; the first key is that of the pre-flight. */
const changing = (change: (response: ServiceResponse, passed: number) => ServiceResponse): Alteration => ({
  service: (service, { clock }) => {
    let preflight: string | undefined;
    let began: number | undefined;
    return {
      ...service,
      respond: async (request) => {
        const response = await service.respond(request);
        const key = headerOf(request, 'Authorization') ?? '';
        preflight ??= key;
        if (key === preflight) {
          return response;
        }
        const now = clock.now();
        began ??= now;
        return change(response, now - began);
      },
    };
  },
});

const failing = (response: ServiceResponse): ServiceResponse => ({ ...response, status: 500 });
const failsAfter = (seconds: number): Alteration =>
  changing((response, passed) => (passed >= seconds ? failing(response) : response));

/** Refuses the first request with a Retry-After, and fails until so many seconds have passed since. */
const failsUntil = (retryAfter: number, seconds: number): Alteration =>
  changing((response, passed) =>
    passed === 0
      ? withHeader({ ...response, status: 403 }, 'Retry-After', `${retryAfter}`)
      : passed < seconds
        ? failing(response)
        : response,
  );

async function trailOf(check: Check, alteration: Alteration, id: RequirementId = ID): Promise<Trail> {
  const trail = (await judgeAltered([check], [alteration])).judgementOf(id)?.findings[0]?.trail;
  if (trail === undefined) {
    throw new Error('The check found nothing');
  }
  return trail;
}

async function replay(trail: Trail, alteration: Alteration = {}, id: RequirementId = ID, isTelling = true) {
  const { judgementOf } = await judgeAltered([trailCheck(trail, id, isTelling)], [alteration]);
  return judgementOf(id)?.outcome;
}

test('a row that took its time takes no less when it is sent again', async () => {
  const trail = await trailOf(slowRow(10, 0.6), failsAfter(2.5));
  expect(await replay(trail, failsAfter(2.5))).toBe('fail');
  expect(await replay(trail)).toBe('pass');
});

test('a wait that was longer than it had to be takes no less than is asked for when it is sent again', async () => {
  const trail = await trailOf(slowRow(2, 20), failsUntil(10, 30));
  expect(trail.steps.find((step) => step.do === 'wait')).toMatchObject({ outlasts: 1 });
  expect(await replay(trail, failsUntil(10, 30))).toBe('fail');
  expect(await replay(trail, failsUntil(40, 40))).toBe('pass');
});

test('who was asked for no wait waits when another target asks for one', async () => {
  const trail = await trailOf(slowRow(2, 0.1), failsUntil(0, 30));
  expect(trail.steps.find((step) => step.do === 'wait')).toMatchObject({ told: 1 });
  expect(await replay(trail, failsUntil(0, 30))).toBe('fail');
  expect(await replay(trail, failsUntil(40, 40))).toBe('pass');
});

test('a short row is one step', async () => {
  const { steps } = await trailOf(slowRow(5, 0.01), failsAfter(0.02));
  expect(steps.filter((step) => step.do === 'send')).toHaveLength(1);
});

test('what an update did shows again', async () => {
  const id = 'update-succeeds';
  const keepsSixteenBits = alterationOf('quantity-in-signed-16-bits');
  const trail = await trailOf(observedUpdates, keepsSixteenBits, id);
  expect(petsWrittenBy(trail)).toHaveLength(1);
  expect(await replay(trail, keepsSixteenBits, id)).toBe('fail');
  expect(await replay(trail, {}, id)).toBe('pass');
});

test('what the answers of a trail do not tell is left open, unless they are accused', async () => {
  const trail = await trailOf(slowRow(2, 0.01), changing(failing));
  expect(await replay(trail, {}, ID, false)).toBe('inconclusive');
  expect(await replay(trail, changing(failing), ID, false)).toBe('fail');
});

test('a target that limits requests without a key does not show how it answers them otherwise', async () => {
  const limiting = answering(async (request, service) => {
    const response = await service.respond(request);
    return headerOf(request, 'Authorization') === undefined
      ? withHeader({ ...response, status: 429 }, 'Retry-After', '30')
      : response;
  });
  const trail = await trailOf(keylessReads, alterationOf('list-without-key'), 'missing-key');
  expect(await replay(trail, alterationOf('list-without-key'), 'missing-key')).toBe('fail');
  expect(await replay(trail, limiting, 'missing-key')).toBe('inconclusive');
  expect(await replay(trail, {}, 'missing-key')).toBe('pass');
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
  const trail = await trailOf(slowRow(1, 0), changing(failing));
  let passed = 0;
  const watching: Alteration = {
    service: (service, { clock }) => {
      const began = clock.now();
      return {
        ...service,
        respond: (request) => {
          passed = clock.now() - began;
          return service.respond(request);
        },
      };
    },
  };
  await replay({ ...trail, startedAt: (trail.startedAt ?? 0) - late }, watching);
  expect(Math.abs(passed - waited)).toBeLessThan(3);
});
