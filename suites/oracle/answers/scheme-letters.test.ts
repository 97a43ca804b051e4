import { expect, test } from 'vitest';

import { readCredential } from '../credential.ts';
import { sampleExchange } from '../exchange.test-data.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { schemeLettersMonitor } from './scheme-letters.ts';

const SECRETS = new Map([
  ['good-key-1', { label: 'free#1', state: 'valid' }],
  ['old-key-22', { label: '', state: 'revoked' }],
] as const);

/** Whether each judgement of a list that presents this holds. */
function judge(authorization: string, status: number): readonly boolean[] {
  const oracle = openOracle(followServerClock(), [schemeLettersMonitor]);
  const exchange = sampleExchange({ status, authorization });
  const credential = readCredential({ authorization: [authorization], elsewhere: [] }, SECRETS);
  oracle.accept({ type: 'request-sent', id: 1, request: exchange.request, credential, at: 0 });
  return oracle.accept({ type: 'response-received', id: 1, exchange }).map(({ holds }) => holds);
}

test.each([
  ['bearer good-key-1', 200, [true]],
  ['BEARER good-key-1', 401, [false]],
  ['bEARER good-key-1', 400, [false]],
  // Refused for its rate, spelled as the specification does, in more than one way otherwise, or with no good key.
  ['bearer good-key-1', 429, []],
  ['Bearer good-key-1', 200, []],
  ['bearer  good-key-1', 401, []],
  ['bearer "good-key-1"', 401, []],
  ['bearer old-key-22', 401, []],
  ['bearer nobodys-key', 401, []],
  ['Basic good-key-1', 401, []],
])('%s answered %i', (authorization, status, holds) => {
  expect(judge(authorization, status)).toEqual(holds);
});
