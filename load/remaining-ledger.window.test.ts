import { describe, expect, test } from 'vitest';

import { newUsage, type Key } from '../suites/keys.ts';
import { listInventory } from '../suites/operations.ts';
import type { LoadResponse } from './load-request.ts';
import type { QuickHeaders } from './quick-headers.ts';
import { keepRemainingLedger } from './remaining-ledger.ts';

const LIMIT = 100;
const RESET = 1_790_000_060;

const key: Key = {
  label: 'enterprise#load1',
  secret: 'secret',
  plan: 'enterprise',
  limits: { perMinute: LIMIT, perDay: 1_000 },
  issued: true,
  usedToday: 0,
  usage: newUsage(),
};

/** An accepted request that took a millisecond. */
function answered(at: number): LoadResponse {
  const request = { message: listInventory(), key, authorization: ['Bearer secret'], operation: 'list' };
  return { request, status: 200, rawHeaders: [], body: null, dueAt: at, sentAt: at, answeredAt: at + 1 };
}

function headers(remaining: number): QuickHeaders {
  return { limit: LIMIT, remaining, reset: RESET, retryAfter: undefined };
}

describe('Remaining that rises while Reset stays', () => {
  test.each([
    ['within the first minute is a problem', 30_000, 1],
    ['after it may be a sliding log that forgets its oldest request', 60_200, 0],
  ])('%s', (_title, moment, problems) => {
    const ledger = keepRemainingLedger(0);
    ledger.response(answered(100), headers(LIMIT - 1));
    ledger.response(answered(300), headers(LIMIT - 2));
    ledger.response(answered(moment), headers(LIMIT - 1));

    expect(ledger.close(true)).toHaveLength(problems);
  });
});
