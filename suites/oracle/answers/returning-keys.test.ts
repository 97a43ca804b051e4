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

/** How often a key is accused that is answered so, one after the other. @param answers `open` where its spelling is open */
function accusations(answers: string, { isExclusive = true, meanwhile = [] }: ScriptedHistory = {}): number {
  const oracle = openOracle(followServerClock(), [returningKeysMonitor]);
  oracle.accept({
    type: 'key-known',
    key: { label: KEY, plan: 'free', limits: null, isExclusive, usedToday: 0 },
  });
  return answers.split(', ').flatMap((answer, index, { length }) => {
    const at = 1_000 * index;
    const status = Number.parseInt(answer, 10);
    const credential = answer.endsWith('open') ? OPEN : VALID;
    if (index === length - 1) {
      meanwhile.forEach((event) => oracle.accept(event));
    }
    const exchange = { ...sampleExchange({ status }), key: KEY, sentAt: at, receivedAt: at + 10 };
    oracle.accept({ type: 'request-sent', id: index, request: exchange.request, credential, at });
    return oracle.accept({ type: 'response-received', id: index, exchange });
  }).length;
}

test.each([
  ['a 401 between two answers', '200, 401, 200 open', 1],
  ['several in a row', '200, 401, 401 open, 200 open, 200', 1],
  ['a key that stays refused', '200, 401, 401 open', 0],
  ['a key that nobody knew before', '401 open, 200 open', 0],
  ['another refusal', '200, 403, 200', 0],
])('%s', (_what, answers, times) => {
  expect(accusations(answers)).toBe(times);
});

const REFUSED_AND_BACK = '200, 401, 200 open';

test('nothing is said of a key that others use, or that was being revoked', () => {
  expect(accusations(REFUSED_AND_BACK, { isExclusive: false })).toBe(0);
  const meanwhile: readonly HistoryEvent[] = [{ type: 'key-revocation-begun', key: KEY, at: 1_500 }];
  expect(accusations(REFUSED_AND_BACK, { meanwhile })).toBe(0);
});
