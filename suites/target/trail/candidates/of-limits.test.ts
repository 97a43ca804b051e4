import { expect, test } from 'vitest';

import { newUsage, type Key } from '../../../oracle/index.ts';
import { listInventory } from '../../http/operations.ts';
import { buildSteps } from '../build-trail.ts';
import { isAsExpected, type GivenAnswer } from '../judge-expectation.ts';
import { candidatesOfLimits } from './of-limits.ts';
import type { LoggedRequest } from '../trail-log.ts';

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
  return Array.from({ length: requests }, (_, index) => ({
    do: 'send',
    at: at + index,
    request: index % 2 === 0 ? listInventory() : { ...listInventory(), path: '/inventory/', operation: null },
    authorization: ['Bearer secret'],
    key: KEY.label,
    endedAt: at + 1_000,
    response: { status: index < granted ? 200 : 429, headers: [], body: Buffer.alloc(0), exchange: null },
    isRepeated: false,
  }));
}

/** What is expected of a key that is granted so many requests in its second minute. */
function expectationsOf(granted: number, restSeconds: number) {
  const first = burst(0, 64, 60);
  const second = [
    ...burst(restSeconds * 1_000, 36, 36),
    ...burst(restSeconds * 1_000 + 2_000, 28, granted - 36),
  ];
  const events = [...first, ...second];
  const keys = new Map([[KEY.label, KEY]]);
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
  return candidatesOfLimits({ ...scene, events, steps, keys, decisive, answers }, events.length)
    .filter(({ about }) => about('limit-renews'))
    .map(({ expectation }) => isAsExpected(expectation, answers));
}

test('a key that rested is granted a whole minute, in whatever spelling', () => {
  expect(expectationsOf(59, 125)).toContain(false);
  expect(expectationsOf(60, 125)).not.toContain(false);
});

test('what a sliding counter remembers of the minute before proves nothing', () => {
  expect(expectationsOf(59, 70)).not.toContain(false);
});
