import { describe } from 'vitest';

import { testChecks } from './judge-scripted.test-data.ts';
import { lasting, shutOutAfter, withField } from './alterations.test-data.ts';
import type { Alteration } from './scripted-target.test-data.ts';
import {
  patientClient,
  patientForLong,
  retryAfterAtAnyMoment,
  windowLength,
  windowRenews,
  windowRenewsInRealTime,
} from './window-behaviour.ts';

const tooShort: Alteration = () => ({ retryAfter: (seconds) => Math.floor(seconds / 2) });

describe('Retry-After at any moment', () => {
  testChecks(
    [retryAfterAtAnyMoment],
    [
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
      ['ban-only-after-continued', 'the first 429 shuts a client out', shutOutAfter(1)],
    ],
  );
});

describe('a patient client', () => {
  testChecks(
    [patientClient],
    [
      ['ban-only-after-continued', 'the fifth 429 shuts a client out', shutOutAfter(5)],
      ['limit-renews', 'windows last 20 s', lasting(20)],
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
    ],
  );
});

describe('a client that is patient for long', () => {
  testChecks(
    [patientForLong],
    [
      ['ban-only-after-continued', 'the twentieth 429 shuts a client out', shutOutAfter(20)],
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
    ],
  );
});

describe('the length of a window', () => {
  testChecks([windowLength], [['limit-renews', 'windows last 30 s', lasting(30)]]);
});

describe('a window that is over', () => {
  testChecks(
    [windowRenews],
    [
      ['limit-renews', 'windows last 90 s', lasting(90)],
      ['remaining-falls', 'it stays', withField('X-RateLimit-Remaining', '7')],
    ],
  );
});

describe('a window that is over, in real time', () => {
  testChecks([windowRenewsInRealTime], [['limit-renews', 'windows last 90 s', lasting(90)]]);
});
