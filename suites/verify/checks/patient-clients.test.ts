import { describe } from 'vitest';

import { lasting, shutOutAfter } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import {
  patientClient,
  patientForLong,
  retryAfterAtAnyMoment,
  windowBegunByAnything,
} from './patient-clients.ts';
import type { TargetChange } from './scripted-target.test-data.ts';

const tooShort: TargetChange = () => ({ retryAfter: (seconds) => Math.floor(seconds / 2) });

describe('that come at any moment', () => {
  testChecks(
    [retryAfterAtAnyMoment],
    [
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
      ['ban-only-after-continued', 'the first 429 shuts a client out', shutOutAfter(1)],
    ],
  );
});

/** A window that a refused update begins lasts an hour, and says nothing of it. */
const begunByRefusal: TargetChange = ({ isCounted, windowSeconds }) => {
  const begunBy = new Map<string, string>();
  return {
    isCounted: (client, call) => {
      begunBy.set(client.secret, begunBy.get(client.secret) ?? call.body);
      return isCounted(client, call);
    },
    windowSeconds: (window, client) =>
      window === 'minute' && begunBy.get(client.secret) === '{}' ? 3_600 : windowSeconds(window, client),
    retryAfter: (seconds) => Math.min(seconds, 60),
  };
};

describe('that begin with a refusal', () => {
  testChecks(
    [windowBegunByAnything],
    [
      ['retry-after-honoured', 'a window that a refusal began does not end', begunByRefusal],
      ['ban-only-after-continued', 'the first 429 shuts a client out', shutOutAfter(1)],
    ],
  );
});

describe('that come again', () => {
  testChecks(
    [patientClient],
    [
      ['ban-only-after-continued', 'the fifth 429 shuts a client out', shutOutAfter(5)],
      ['limit-renews', 'windows last 20 s', lasting(20)],
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
    ],
  );
});

describe('that come for long', () => {
  testChecks(
    [patientForLong],
    [
      ['ban-only-after-continued', 'the twentieth 429 shuts a client out', shutOutAfter(20)],
      ['retry-after-honoured', 'it is half as long as it should be', tooShort],
    ],
  );
});
