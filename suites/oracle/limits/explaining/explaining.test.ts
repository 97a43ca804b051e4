import { describe, expect, test } from 'vitest';

import { sampleExchange, rateLimitFields } from '../../exchange.test-data.ts';
import { followServerClock } from '../../server-clock.ts';
import { explainBanAnswer } from './ban.ts';
import { explainExcess } from './grant.ts';
import { explainIntrusion, explainRemaining } from './remaining.ts';
import { openKeyLimits, type KeyLimits } from '../key-limits.ts';
import { followTraffic } from '../key-traffic.ts';
import { openFindings } from '../judging/judging-context.ts';
import { countOperations } from '../operation-counts.ts';
import { anySlidingKind } from '../windows/phases.ts';

function someKey(): KeyLimits {
  const key = openKeyLimits(
    {
      label: 'free#1',
      plan: 'free',
      limits: { perMinute: 60, perDay: 1_000 },
      isExclusive: true,
      usedToday: 0,
    },
    followTraffic().of('free#1'),
    followServerClock(),
    { minute: anySlidingKind(), day: anySlidingKind() },
  );
  if (key === null) {
    throw new Error('Its limits are known');
  }
  return key;
}

const LIST = { operation: 'listInventory', form: 'listInventory' } as const;
const PET = { operation: 'getPet', form: 'getPet' } as const;
const UPDATE = { operation: 'updateInventory', form: 'updateInventory' } as const;

const EXCHANGE = sampleExchange({ headers: rateLimitFields(60, 50, 0) });

test('requests of other keys are blamed that make up just what is used, unless one request uses up several', () => {
  const wrong = { window: 'minute', used: 31, most: 1, ...LIST, isApart: () => false } as const;
  const blame = (isUsedByOthers: boolean, operations = countOperations()) =>
    explainRemaining(someKey(), EXCHANGE, { ...wrong, isUsedByOthers }, operations);
  expect([blame(true).id, blame(false).id]).toEqual(['keys-independent-at-limit', 'remaining-falls']);
  const operations = countOperations();
  const { isRuledOut } = blame(true, operations);
  expect(isRuledOut?.()).toBe(false);
  operations.note(LIST, 4, { ...LIST, used: 2 }, true);
  expect(isRuledOut?.()).toBe(true);
});

test('time is blamed for what remains of a minute only if that fits one which began anew at a wrong time, or gave some back', () => {
  const operations = countOperations();
  const key = someKey();
  key.lastUsed = {
    window: 'minute',
    isAmongOthers: false,
    ...LIST,
    used: 9,
    standsStill: false,
    connection: undefined,
    answered: key.traffic.answered,
  };
  const wrong = { window: 'minute', most: 12, ...LIST, isApart: null, isUsedByOthers: false } as const;
  const isOfTime = (used: number): boolean =>
    (explainRemaining(key, EXCHANGE, { ...wrong, used }, operations).others ?? []).some(
      ({ id, isRuledOut }) => id === 'limit-renews' && isRuledOut?.() !== true,
    );
  key.traffic.answered += 1;
  expect([1, 5, 9, 13].map(isOfTime)).toEqual([true, true, false, true]);
  operations.note(LIST, 9, { ...LIST, used: 8 }, true);
  expect(isOfTime(9)).toBe(true);
  operations.note(LIST, 13, { ...LIST, used: 9 }, true);
  expect(isOfTime(13)).toBe(false);
});

test('forms are blamed once Remaining stood still in them each time, and in nothing else', () => {
  const operations = countOperations();
  const tagged = { operation: 'listInventory', form: 'listInventory with a condition' } as const;
  const wrong = { window: 'minute', used: 9, most: 12, ...LIST, isApart: null } as const;
  const { id, isRuledOut } = explainRemaining(
    someKey(),
    EXCHANGE,
    { ...wrong, isUsedByOthers: false },
    operations,
  );
  const stand = (asked: { readonly operation: string; readonly form: string }): boolean | undefined => {
    operations.note(asked, 5, { ...LIST, used: 5 }, true);
    return isRuledOut?.();
  };
  expect(id).toBe('remaining-falls');
  expect([stand(tagged), stand(tagged)]).toEqual([false, false]);
  operations.note(LIST, 6, { ...LIST, used: 5 }, true);
  expect([isRuledOut?.(), stand(LIST)]).toEqual([true, false]);
});

test('an answer that no limit gives is that of a ban only if its request left after a 429 had come', () => {
  const key = someKey();
  const limited = sampleExchange({
    status: 429,
    headers: [['Retry-After', '30']],
    sentAt: 1,
    receivedAt: 10,
  });
  const traffics = followTraffic();
  const overlap = traffics.leave(traffics.enter('free#1', { at: 1 }), {
    type: 'response-received',
    exchange: limited,
  });
  key.waits.refuse(limited, overlap, key.traffic, () => true);
  const idsOf = (sentAt: number): readonly string[] =>
    explainBanAnswer(key, sampleExchange({ status: 409, sentAt, receivedAt: 20 }), [200]).map(({ id }) => id);
  expect([idsOf(9), idsOf(11)]).toEqual([[], ['ban-answer']]);
});

describe('an operation that may not count', () => {
  const operations = countOperations();
  operations.note(UPDATE, 5, { ...UPDATE, used: 4 }, true);
  const blame = (key: KeyLimits, used: number) =>
    explainRemaining(
      key,
      EXCHANGE,
      { window: 'minute', used, most: 12, ...LIST, isApart: null, isUsedByOthers: false },
      operations,
    ).id;
  const updating = someKey();
  updating.usedByOperation.set('updateInventory', 5);

  test('is blamed if more remains than there should', () => {
    expect(blame(updating, 10)).toBe('remaining-counts-operations');
  });

  test('is blamed if less remains than there should the first time it is asked for', () => {
    expect(blame(updating, 13)).toBe('remaining-counts-operations');
  });

  test('is not blamed if its key sent no other, if less remains later, or if it counted before', () => {
    expect(blame(someKey(), 10)).toBe('remaining-falls');
    operations.note(LIST, 5, { ...LIST, used: 5 }, true);
    expect(blame(updating, 13)).toBe('remaining-falls');
    operations.note(LIST, 6, { ...LIST, used: 5 }, true);
    expect(blame(updating, 10)).toBe('remaining-falls');
  });
});

test('a grant beyond the limit is that of an operation that is not counted, if there is one', () => {
  const operations = countOperations();
  const manner = { form: 'updateInventory', isAmongOthers: false, isOnlyConcurrent: false };
  const blame = () =>
    explainExcess(
      someKey(),
      'minute',
      { exchange: EXCHANGE, manner: () => manner, isAmongOthers: false },
      {
        operations: { minute: operations, day: countOperations() },
        findings: openFindings(followServerClock()),
      },
    ).id;
  operations.note(PET, 4, { ...PET, used: 4 }, true);
  expect(blame()).toBe('limit-renews');
  operations.note(UPDATE, 5, { ...UPDATE, used: 4 }, true);
  expect(blame()).toBe('limit-over-spellings');
  operations.note(PET, 6, { ...PET, used: 5 }, true);
  expect(blame()).toBe('limit-renews');
});

test.each([
  { kept: [], blamed: 'minute-limit-free' },
  { kept: ['business'], blamed: 'limit-under-concurrency' },
] as const)(
  'grants beyond the limits of two plans, with $kept kept one by one, break $blamed',
  ({ kept, blamed }) => {
    const findings = openFindings(followServerClock());
    findings.exceededAtOnce.add('pro');
    kept.forEach((plan) => findings.keptBy.minute.add(plan));
    const manner = { form: 'listInventory', isAmongOthers: true, isOnlyConcurrent: false };
    const answer = { exchange: EXCHANGE, manner: () => manner, isAmongOthers: true };
    const operations = { minute: countOperations(), day: countOperations() };
    const key = { ...someKey(), isExclusive: false };
    expect(explainExcess(key, 'minute', answer, { operations, findings }).id).toBe(blamed);
  },
);

test('an operation takes more than one only if it does so nearly each time, and another one does not', () => {
  const operations = countOperations();
  const updateTakes = (requests: number): void =>
    operations.note(UPDATE, requests, { ...LIST, used: 0 }, true);
  updateTakes(2);
  updateTakes(2);
  expect(operations.countsOneOtherwise()).toBe(false);
  operations.note(LIST, 3, { ...UPDATE, used: 2 }, true);
  operations.note(LIST, 4, { ...LIST, used: 3 }, true);
  expect(operations.countsOneOtherwise()).toBe(true);
  updateTakes(1);
  expect(operations.countsOneOtherwise()).toBe(false);
});

test.each([
  ['another key', { atLimit: null, banned: null }, ['keys-independent-at-limit']],
  ['one at its limit', { atLimit: 'pro#1', banned: null }, ['keys-independent-at-limit']],
  ['one that shows its ban', { atLimit: null, banned: 'pro#1' }, ['keys-independent-in-ban']],
  [
    'one that may be banned, and may be at its limit',
    { atLimit: 'pro#1', banned: 'pro#1' },
    ['keys-independent-in-ban', 'keys-independent-at-limit'],
  ],
] as const)('%s moves the count of a key', (_what, suspects, ids) => {
  const { id, others = [] } = explainIntrusion(someKey(), EXCHANGE, suspects);
  expect([id, ...others.map((other) => other.id)]).toEqual(ids);
});
