import { describe } from 'vitest';

import { DAY_SECONDS } from '../../../contract/plans.ts';
import { countersExpire, dayWindowLength, patientDay, patientDays } from './day-windows.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { lasting, shutOutAfter } from './target-changes.test-data.ts';

describe('the length of a day', () => {
  testChecks(
    [dayWindowLength],
    [
      ['day-limit-enterprise', 'it lasts 20 hours', lasting(20 * 3_600, 'day')],
      ['day-limit-free', 'it lasts a week', lasting(7 * DAY_SECONDS, 'day')],
      ['limit-renews', 'it lasts 30 hours', lasting(30 * 3_600, 'day')],
    ],
  );
});

describe('a patient client', () => {
  testChecks(
    [patientDay],
    [
      [
        'retry-after-honoured',
        'it is an hour',
        () => ({ retryAfter: (seconds) => Math.min(seconds, 3_600) }),
      ],
      ['ban-only-after-continued', 'the first 429 shuts a client out', shutOutAfter(1)],
    ],
  );
});

describe('a client that is patient for many days', () => {
  testChecks(
    [patientDays],
    [
      [
        'retry-after-honoured',
        'it is an hour',
        () => ({ retryAfter: (seconds) => Math.min(seconds, 3_600) }),
      ],
      ['ban-only-after-continued', 'the fifth 429 shuts a client out', shutOutAfter(5)],
      [
        'ban-only-after-continued',
        'going beyond the day blocks for three days',
        lasting(3 * DAY_SECONDS, 'day'),
      ],
    ],
  );
});

describe('what was used long ago', () => {
  testChecks(
    [countersExpire],
    [
      ['limit-renews', 'a minute is two hours', lasting(7_200)],
      ['day-limit-enterprise', 'a day is two weeks', lasting(14 * DAY_SECONDS, 'day')],
    ],
  );
});
