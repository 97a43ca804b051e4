import { setTimeout as delay } from 'node:timers/promises';

import { expect, test } from 'vitest';

import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Alteration, ServiceResponse } from '../../reference-server/index.ts';
import { CHECKS } from '../../suites/verify/index.ts';
import { alterationOf, answering, judgeAltered } from './run.test-data.ts';

/** Breaks the connection in place of some responses. */
function losing(isLost: (response: ServiceResponse) => boolean): Alteration {
  return answering(async (request, service) => {
    const response = await service.respond(request);
    if (isLost(response)) {
      request.connection.drop();
    }
    return response;
  });
}

function losingAt(isLost: (number: number) => boolean): Alteration {
  let responses = 0;
  return losing(() => {
    responses += 1;
    return isLost(responses);
  });
}

const everyNth = (every: number): Alteration => losingAt((number) => number % every === 0);

const ALL: readonly string[] = CHECKS.map(({ id }) => id);
/** Checks that send hundreds of requests with one key. */
const LONG = ['whole-day', 'window-length', 'window-renews', 'ban'].concat(
  ['pro', 'business', 'enterprise'].map((plan) => `minute-limit-${plan}`),
);

/** It starts at the fortieth second of a minute, and stands still for a second after a few refusals. */
function haltingLateInTheMinute(): Alteration {
  let ahead = 0;
  let refusals = 0;
  return {
    parts: ({ clock }) => {
      ahead = 100 - (clock.now() % 60);
      return { clock: { now: () => clock.now() + ahead } };
    },
    ...answering(async (request, service) => {
      const response = await service.respond(request);
      refusals += response.status === 429 ? 1 : 0;
      ahead += refusals === 4 && response.status === 429 ? 1 : 0;
      return response;
    }),
  };
}

const isMust = (id: RequirementId): boolean => requirement(id).level === 'must';

async function judge(
  checks: readonly string[],
  alterations: readonly Alteration[],
  changes: Parameters<typeof judgeAltered>[2] = {},
) {
  const { judgements, observations } = await judgeAltered(checks, alterations, {
    banWaitSeconds: 120,
    ...changes,
  });
  const failed = judgements.filter(
    ({ id, outcome }) => outcome === 'fail' && requirement(id).level === 'must',
  );
  return { failed: failed.map(({ id, findings }) => `${id}: ${findings[0]?.message}`), observations };
}

// So often that each check loses some.
test.for([
  { every: 23, length: 'short', checks: ALL.filter((id) => !LONG.includes(id)) },
  { every: 307, length: 'long', checks: LONG },
])('a lost response in $every of $length checks accuses nobody', async ({ every, checks }) => {
  expect((await judge(checks, [everyNth(every)])).failed).toEqual([]);
});

test.for(['minute-free-unlimited', 'update-lost-once-in-twelve'])(
  '%s is caught all the same',
  async (fault) => {
    const { failed } = await judge(ALL, [alterationOf(fault), everyNth(211)], { bail: isMust });
    expect(failed).not.toEqual([]);
  },
);

test('a ban that never ends is a violation, whatever was lost while it was provoked', async () => {
  // One of the requests that use up the minute; the refusal comes one too early then.
  const lossy = losingAt((number) => number === 40);
  const { failed } = await judge(['ban'], [alterationOf('ban-never-ends-untold'), lossy]);
  expect(failed).toEqual([expect.stringMatching(/^ban-ends: /)]);
});

test('the threshold of a ban is what it is, whichever of the refusals before it was lost', async () => {
  let refusals = 0;
  const lossy = losing(({ status }) => {
    refusals += status === 429 ? 1 : 0;
    return status === 429 && refusals === 5;
  });
  const { observations } = await judge(['ban'], [lossy]);
  expect(observations).toMatchObject({ 'ban-threshold': 'within 10 continued requests' });
});

test('the threshold of a ban is exact if the window slides and the target stands still for a second', async () => {
  const { observations } = await judge(['ban'], [alterationOf('sliding-counter'), haltingLateInTheMinute()]);
  expect(observations).toMatchObject({ 'ban-threshold': 'within 10 continued requests' });
});

const WHERE_BANS_ARE_TOLD_SLOWLY = answering(async (request, service) => {
  const response = await service.respond(request);
  await delay(response.status === 401 ? 350 : 0);
  return response;
});

const BAN_OF_62_SECONDS: Alteration = {
  options: (options) => ({ ...options, ban: { seconds: 62, status: 401 } }),
};

test.for([
  { how: 'told', bans: [BAN_OF_62_SECONDS], length: 'up to 5 minutes' },
  {
    how: 'not told',
    bans: [alterationOf('ban-by-401-without-retry-after')],
    length: 'over after a wait of 61 s',
  },
])('the length of a ban, $how, is exact if answers take long', async ({ bans, length }) => {
  const { observations } = await judge(['ban'], [...bans, WHERE_BANS_ARE_TOLD_SLOWLY]);
  expect(observations).toMatchObject({ 'ban-length': length });
});

/** The list that a check begins with is forgotten by a sliding minute at the third 404. */
function forgettingTheListAmongRefusals(): Alteration {
  let ahead = 0;
  let notFound = 0;
  return {
    parts: ({ clock }) => ({ clock: { now: () => clock.now() + ahead } }),
    ...answering(async (request, service) => {
      const response = await service.respond(request);
      notFound += response.status === 404 ? 1 : 0;
      ahead += response.status === 200 || (response.status === 404 && notFound === 2) ? 30 : 0;
      return response;
    }),
  };
}

test('requests that are refused count, whatever a window that slides forgets meanwhile', async () => {
  const { observations } = await judge(
    ['unknown-pets'],
    [alterationOf('sliding-log'), forgettingTheListAmongRefusals()],
  );
  expect(observations).toMatchObject({ 'refused-requests-count.404': true });
});

/** Every other request of a key is refused, as if one before had not left a sliding window. */
const REFUSES_EVERY_OTHER: Alteration = {
  parts: ({ limiter }) => {
    const requests = new WeakMap<object, number>();
    return {
      limiter: {
        ...limiter,
        decide: (key, now, request) => {
          const count = (requests.get(key) ?? 0) + 1;
          requests.set(key, count);
          const decision = limiter.decide(key, now, request);
          return count % 2 === 1 ? { ...decision, accepted: false, retryAfterSeconds: 3 } : decision;
        },
      },
    };
  },
};

test('a key in another spelling that was refused for its rate is tried again', async () => {
  const { failed, observations } = await judge(['credential-spellings'], [REFUSES_EVERY_OTHER]);
  // Nobody else uses the key, so that the oracle knows of no window that could have refused it.
  expect(failed.map((one) => one.replace(/:.*/s, ''))).toEqual(['minute-limit-free']);
  const statuses = Object.entries(observations).filter(([name]) => name.startsWith('credential-spellings.'));
  expect(statuses).not.toEqual([]);
  expect(statuses.filter(([, status]) => status === 429)).toEqual([]);
});
