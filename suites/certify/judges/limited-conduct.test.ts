import { expect, test } from 'vitest';

import {
  ENDED,
  failedWith,
  judgeSample,
  limited,
  update,
  UNKNOWN,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { limitedConduct } from './limited-conduct.ts';

const LISTING = 'client-retries-limited.listInventory';
const UNREADABLE = 'client-unreadable-retry-after';

const broken = { kind: 'broken', problem: 'It crashed.', output: '' } as const;
const soon = { status: 429, headers: [['Retry-After', 'soon']] as const };

test('sees whether the client tries again, for each operation', () => {
  expect(judgeSample(limitedConduct, { exchanges: [limited(0, 1), { at: 1 }] }).observed).toEqual([
    [LISTING, 'tries again'],
  ]);
  const exchanges = [update({ status: 429, retryAfter: 1 })];
  const { observed } = judgeSample(limitedConduct, {
    task: UPDATE_TASK,
    exchanges,
    outcome: failedWith(429),
  });
  expect(observed).toEqual([['client-retries-limited.updateInventory', 'gives up']]);
});

test.each([
  [broken, null, ['breaks off']],
  [ENDED, 'silence', ['falls silent']],
  [ENDED, 'interruption', []],
  [UNKNOWN, 'silence', []],
] as const)('of %o, ended for %s, if nothing more was sent, sees %j', (outcome, endedFor, seen) => {
  const sample = { exchanges: [limited(0, 1)], outcome, endedFor };
  expect(judgeSample(limitedConduct, sample).observed).toEqual(seen.map((value) => [LISTING, value]));
});

test.each([
  [0.05, 'tries again at once'],
  [0.5, 'tries again within a second'],
  [4, 'tries again after a second or more'],
])('sees that a client comes %d s after a Retry-After that cannot be read', (at, value) => {
  expect(judgeSample(limitedConduct, { exchanges: [soon, { at }] }).observed).toEqual([[UNREADABLE, value]]);
});

test('sees that a client gives up at one that cannot be read', () => {
  const sample = { exchanges: [soon], outcome: failedWith(429) };
  expect(judgeSample(limitedConduct, sample).observed).toEqual([[UNREADABLE, 'gives up']]);
});

test('sees nothing without a 429', () => {
  expect(judgeSample(limitedConduct, {}).observed).toEqual([]);
});
