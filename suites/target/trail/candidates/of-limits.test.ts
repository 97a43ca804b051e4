import { expect, test } from 'vitest';

import { newUsage, type Key } from '../../../oracle/index.ts';
import { listInventory } from '../../http/operations.ts';
import { buildSteps } from '../build-trail.ts';
import { isAsExpected, type GivenAnswer } from '../judge-expectation.ts';
import { candidatesOfLimits } from './of-limits.ts';
import type { LoggedRequest } from '../trail-log.ts';
import { loggedRequest } from '../trail-log.test-data.ts';

const LIMITS = { perMinute: 60, perDay: 1_000 };
const KEY: Key = {
  label: 'free#1',
  secret: 'secret',
  plan: 'free',
  limits: LIMITS,
  issued: true,
  usedToday: 0,
  usage: newUsage(),
};

/** Requests at once: in turns to the list and to another spelling of it, of which so many are granted. */
function burst(at: number, requests: number, granted: number): LoggedRequest[] {
  return Array.from({ length: requests }, (_, index) =>
    loggedRequest(KEY, {
      request:
        index % 2 === 0 ? listInventory() : { ...listInventory(), path: '/inventory/', operation: null },
      at: at + index,
      endedAt: at + 1_000,
      status: index < granted ? 200 : 429,
    }),
  );
}

/** What is expected once the last of these requests has shown something, and whether the answers are as expected. */
function expectationsAfter(events: readonly LoggedRequest[], key = KEY) {
  const keys = new Map([[KEY.label, key]]);
  const decisive = events.at(-1);
  if (decisive === undefined) {
    throw new Error('There are no requests');
  }
  const clock = { at: () => undefined };
  const steps = buildSteps({ events, decisive, keys, revoked: [], clock, redact: String });
  const answers: GivenAnswer[] = [];
  for (const event of events) {
    answers[steps.numberOf(event) - 1] = {
      status: event.response?.status ?? null,
      headers: [],
      operation: event.request.operation,
      exchange: null,
      now: undefined,
      sentAt: event.at,
      endedAt: event.endedAt ?? event.at,
    };
  }
  const scene = { id: 'limit-renews', message: '', revoked: [], exchange: null } as const;
  return candidatesOfLimits({ ...scene, events, steps, keys, decisive, answers })
    .filter(({ about }) => about('limit-renews'))
    .map(({ expectation }) => ({ expectation, isMet: isAsExpected(expectation, answers) }));
}

/** Whether what is expected is met by a key that is granted so many requests in its second minute. */
function metBy(granted: number, restSeconds: number): readonly boolean[] {
  return expectationsAfter([
    ...burst(0, 64, 60),
    ...burst(restSeconds * 1_000, 36, 36),
    ...burst(restSeconds * 1_000 + 2_000, 28, granted - 36),
  ]).map(({ isMet }) => isMet);
}

test('a day that began meanwhile grants its whole limit, whatever was used of the one before', () => {
  const key = { ...KEY, usedToday: 994 };
  const granted = (first: number) =>
    expectationsAfter([...burst(0, 12, first), ...burst(3 * 3_600_000, 40, 40)], key).map(
      ({ isMet }) => isMet,
    );
  expect(granted(6)).not.toContain(false);
  expect(expectationsAfter(burst(0, 12, 7), key).map(({ isMet }) => isMet)).toContain(false);
});

/** Requests one after the other, a tenth of a second apart, and then one more; the refusals ask for that wait. */
function row(requests: number, granted: number, waitSeconds: number, retryAfter: number | null) {
  return Array.from({ length: requests + 1 }, (_, index): LoggedRequest => {
    const at = index * 100 + (index === requests ? waitSeconds * 1_000 : 0);
    const headers: [string, string][] = retryAfter === null ? [] : [['Retry-After', `${retryAfter}`]];
    const isGranted = index < granted;
    return loggedRequest(KEY, {
      at,
      endedAt: at + 50,
      status: isGranted ? 200 : 429,
      headers: isGranted ? [] : headers,
    });
  });
}

/** What is expected of the status of the last one. */
function statusExpectedAfter(...rowOf: Parameters<typeof row>) {
  return expectationsAfter(row(...rowOf)).find(({ expectation }) => expectation.expect === 'status')
    ?.expectation;
}

test('a key that rested is granted a whole minute, in whatever spelling', () => {
  expect(metBy(59, 125)).toContain(false);
  expect(metBy(60, 125)).not.toContain(false);
});

test('what a sliding counter remembers of the minute before proves nothing', () => {
  expect(metBy(59, 70)).not.toContain(false);
});

test('a key that has not had its minute is not refused', () => {
  expect(statusExpectedAfter(59, 5, 0, 30)).toEqual({
    expect: 'status',
    answer: 60,
    noneOf: ['401', '403', '429', '5xx'],
  });
});

test('a key that may have had its minute may be refused, also if another target would not have refused it before', () => {
  expect(statusExpectedAfter(60, 5, 0, 30)).toBeUndefined();
  expect(statusExpectedAfter(60, 60, 0, 30)).toBeUndefined();
  expect(statusExpectedAfter(60, 5, 20, 30)).toBeUndefined();
});

/** What is expected of the status of one that is answered 403 after so many. */
function statusExpectedAfterBan(requests: number) {
  const [first] = burst(10_000, 1, 0);
  const response = { status: 403, headers: [], body: Buffer.alloc(0), exchange: null };
  const events = first === undefined ? [] : [...row(requests, 5, 0, 30).slice(0, -1), { ...first, response }];
  return expectationsAfter(events).find(({ expectation }) => expectation.expect === 'status')?.expectation;
}

test('a ban comes after a refusal, so that it cannot be the first answer beyond the limit', () => {
  expect(statusExpectedAfterBan(60)).toMatchObject({ answer: 61, noneOf: ['401', '403'] });
  expect(statusExpectedAfterBan(61)).toBeUndefined();
});

/** What is expected of a request that is refused so long after so many in two bursts, none of them refused. */
function statusExpectedAfterBursts(requests: number, seconds: number) {
  const half = requests / 2;
  const events = [...burst(0, half, half), ...burst(20_000, half, half), ...burst(seconds * 1_000, 1, 0)];
  return expectationsAfter(events).find(({ expectation }) => expectation.expect === 'status')?.expectation;
}

test('a key that used up its minute without going beyond it is not refused once that is over', () => {
  expect(statusExpectedAfterBursts(60, 65)).toMatchObject({ answer: 61 });
  expect(statusExpectedAfterBursts(60, 61)).toBeUndefined();
  expect(statusExpectedAfterBursts(62, 65)).toBeUndefined();
});

test.each([
  ['as the refusal asked', 30],
  ['after a refusal that does not say how long', null],
])('a key that has waited %s is not refused again', (_wait, retryAfter) => {
  expect(statusExpectedAfter(60, 5, 31, retryAfter)).toMatchObject({ answer: 61, refused: 60 });
});
