import { expect, test } from 'vitest';

import { sampleExchange } from '../exchange.test-data.ts';
import type { Credential } from '../history.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { wrongMethodsMonitor } from './wrong-methods.ts';

const VALID: Credential = { kind: 'valid', key: 'free#1' };
const ALLOW_GET = [['Allow', 'GET, HEAD']] as const;

/** Whether each judgement holds. */
function judge(
  line: string,
  status: number,
  headers: readonly (readonly [string, string])[],
  credential: Credential = VALID,
): readonly boolean[] {
  const [method = '', path = ''] = line.split(' ');
  const oracle = openOracle(followServerClock(), [wrongMethodsMonitor]);
  const exchange = sampleExchange({ status, headers });
  const request = { ...exchange.request, operation: null, method, path };
  oracle.accept({ type: 'request-sent', id: 1, request, credential, at: 0 });
  return oracle.accept({ type: 'response-received', id: 1, exchange }).map(({ holds }) => holds);
}

test.each([
  ['POST /inventory', 405, ALLOW_GET, [true]],
  ['PUT /store/orders', 405, ALLOW_GET, [true]],
  ['GET /inventory/7', 405, [['Allow', 'PATCH']], [true]],
  ['GET /inventory/7', 404, [], [false]],
  ['GET /inventory/7', 405, ALLOW_GET, [false]],
  ['POST /pets/7', 405, [['Allow', 'GET, POST']], [false]],
  ['DELETE /inventory', 405, [['Allow', '']], [false]],
  ['DELETE /inventory', 405, [], [false]],
  ['DELETE /inventory', 200, [], [false]],
  // Left open, or refused for something else.
  ['OPTIONS /inventory', 204, [], []],
  ['HEAD /inventory', 200, [], []],
  ['GET /inventory', 200, [], []],
  ['POST /inventory/', 404, [], []],
  ['POST /store/inventory', 404, [], []],
  ['POST /inventory', 429, [], []],
  ['POST /inventory', 401, [], []],
] as const)('%s answered %i with %j', (line, status, headers, holds) => {
  expect(judge(line, status, headers)).toEqual(holds);
});

test('nothing is said of a request without a good key', () => {
  expect(judge('POST /inventory', 404, [], { kind: 'missing' })).toEqual([]);
});

test.each([
  ['POST /inventory', ['method-not-allowed']],
  ['OPTIONS /inventory', []],
] as const)('%s that is never answered breaks %j', (line, ids) => {
  const [method = '', path = ''] = line.split(' ');
  const request = { ...sampleExchange({}).request, operation: null, method, path };
  const found = { words: 'No response came.', since: 'others answered', at: 0 } as const;
  const said = openOracle(followServerClock(), [wrongMethodsMonitor]).accept({
    type: 'request-unanswered',
    request,
    credential: VALID,
    ...found,
  });
  expect(said.map(({ id }) => id)).toEqual(ids);
});
