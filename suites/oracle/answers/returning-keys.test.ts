import { expect, test } from 'vitest';

import { sampleExchange } from '../exchange.test-data.ts';
import type { Credential, HistoryEvent } from '../history.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { returningKeysMonitor } from './returning-keys.ts';

const KEY = 'free#1';
const VALID: Credential = { kind: 'valid', key: KEY };
const OPEN: Credential = { kind: 'open', key: KEY };

interface ScriptedHistory {
  readonly isExclusive?: boolean;
  /** What happens before the last answer. */
  readonly meanwhile?: readonly HistoryEvent[];
}

/** How often a key is accused that is answered so, one after the other. */
function accusations(
  answers: readonly (readonly [status: number, credential: Credential])[],
  { isExclusive = true, meanwhile = [] }: ScriptedHistory = {},
): number {
  const oracle = openOracle(followServerClock(), [returningKeysMonitor]);
  oracle.accept({
    type: 'key-known',
    key: { label: KEY, plan: 'free', limits: null, isExclusive, usedToday: 0 },
  });
  return answers.flatMap(([status, credential], index) => {
    const at = 1_000 * index;
    if (index === answers.length - 1) {
      meanwhile.forEach((event) => oracle.accept(event));
    }
    const exchange = { ...sampleExchange({ status }), key: KEY, sentAt: at, receivedAt: at + 10 };
    oracle.accept({ type: 'request-sent', id: index, request: exchange.request, credential, at });
    return oracle.accept({ type: 'response-received', id: index, exchange });
  }).length;
}

test.each([
  [
    'a 401 between two answers',
    [
      [200, VALID],
      [401, VALID],
      [200, OPEN],
    ],
    1,
  ],
  [
    'several in a row',
    [
      [200, VALID],
      [401, VALID],
      [401, OPEN],
      [200, OPEN],
      [200, VALID],
    ],
    1,
  ],
  [
    'a key that stays refused',
    [
      [200, VALID],
      [401, VALID],
      [401, OPEN],
    ],
    0,
  ],
  [
    'a key that nobody knew before',
    [
      [401, OPEN],
      [200, OPEN],
    ],
    0,
  ],
  [
    'another refusal',
    [
      [200, VALID],
      [403, VALID],
      [200, VALID],
    ],
    0,
  ],
] as const)('%s', (_what, answers, times) => {
  expect(accusations(answers)).toBe(times);
});

const REFUSED_AND_BACK = [
  [200, VALID],
  [401, VALID],
  [200, OPEN],
] as const;

test('nothing is said of a key that others use, or that was being revoked', () => {
  expect(accusations(REFUSED_AND_BACK, { isExclusive: false })).toBe(0);
  const meanwhile: readonly HistoryEvent[] = [{ type: 'key-revocation-begun', key: KEY, at: 1_500 }];
  expect(accusations(REFUSED_AND_BACK, { meanwhile })).toBe(0);
});
