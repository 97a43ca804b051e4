import { expect, test } from 'vitest';

import { rateLimitFields, sampleExchange } from '../../suites/oracle/exchange.test-data.ts';
import { sampleKey } from '../engine/load-request.test-data.ts';
import { keepKeyAccounts, problemOfAccounts } from './key-accounts.ts';

const LIMITS = { perMinute: 10, perDay: 1_000 };
const KEY = sampleKey({ limits: LIMITS });
// Unix seconds of a server whose clock is that of the test.
const CLOCK = {
  at: (milliseconds: number) => ({ earliest: milliseconds / 1000, latest: milliseconds / 1000 }),
};

/** What is said of a key all of whose requests show the same, one of them by each of two generators. */
function problemWith(reset: number): string | null {
  const accounts = [0, 1].flatMap((generator) => {
    const { leaving, received, all } = keepKeyAccounts(CLOCK, 0);
    for (let id = 1; id <= 3; id += 1) {
      const sentAt = 1_000 * id + 100 * generator;
      leaving(KEY, id, sentAt);
      const headers = rateLimitFields(LIMITS.perMinute, 9, reset);
      received(KEY, id, { ...sampleExchange({ headers, sentAt, receivedAt: sentAt + 10 }), key: KEY.label });
    }
    return all();
  });
  return problemOfAccounts(accounts, true);
}

test('values that do not fall under one Reset are a violation, unless that Reset is now', () => {
  expect(problemWith(50)).toContain('was granted 6 requests of one window');
  expect(problemWith(2)).toBeNull();
});
