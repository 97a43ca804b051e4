import { describe, expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import {
  CLIENT_KEY,
  ENDED,
  failedWith,
  judgeSample,
  limited,
  type RecordedSample,
  type RecordSample,
  update,
  UNKNOWN,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { connections, liberties, limitedConduct, pacing, redirects } from './observed-conduct.ts';

describe('at a 429', () => {
  const LISTING = 'client-retries-limited.listInventory';
  const UNREADABLE = 'client-unreadable-retry-after';
  const broken = { kind: 'broken', problem: 'It crashed.', output: '' } as const;
  const readable = { exchanges: [limited(0, 1)] };
  const soon = { status: 429, headers: [['Retry-After', 'soon']] as const };

  test.each<[RecordSample, string, string | null]>([
    [{ exchanges: [limited(0, 1), { at: 1 }] }, LISTING, 'tries again'],
    [{ ...readable, outcome: broken }, LISTING, 'breaks off'],
    [{ ...readable, outcome: ENDED, endedFor: 'silence' }, LISTING, 'falls silent'],
    [{ ...readable, outcome: ENDED, endedFor: 'interruption' }, LISTING, null],
    [{ ...readable, outcome: UNKNOWN, endedFor: 'silence' }, LISTING, null],
    [
      {
        task: UPDATE_TASK,
        exchanges: [update({ status: 429, retryAfter: 1 })],
        outcome: failedWith(429),
      },
      'client-retries-limited.updateInventory',
      'gives up',
    ],
    [{ exchanges: [soon, { at: 0.05 }] }, UNREADABLE, 'tries again at once'],
    [{ exchanges: [soon, { at: 0.5 }] }, UNREADABLE, 'tries again within a second'],
    [{ exchanges: [soon, { at: 4 }] }, UNREADABLE, 'tries again after a second or more'],
    [{ exchanges: [soon], outcome: failedWith(429) }, UNREADABLE, 'gives up'],
    [{}, LISTING, null],
  ])('of %o, sees of %s: %s', (sample, id, seen) => {
    expect(judgeSample(limitedConduct, sample).observed).toEqual(seen === null ? [] : [[id, seen]]);
  });
});

const remaining = (requests: number): readonly HeaderField[] => [
  ['X-RateLimit-Limit', '60'],
  ['X-RateLimit-Remaining', `${requests}`],
  ['X-RateLimit-Reset', '1790000060'],
];

describe('when nothing remains', () => {
  const exhausted = { headers: remaining(0) };

  test.each<[string | null, RecordSample]>([
    ['not seen', { exchanges: [exhausted], seconds: 0.3 }],
    ['slows down', { exchanges: [exhausted], seconds: 3 }],
    ['goes on at once', { exchanges: [exhausted, { at: 0.3 }], outcome: UNKNOWN, seconds: 60 }],
    ['slows down', { exchanges: [exhausted, { at: 30 }], outcome: UNKNOWN, seconds: 60 }],
    [null, { exchanges: [{ headers: remaining(1) }] }],
    [null, { exchanges: [{ status: 429, headers: remaining(0) }] }],
    [null, {}],
  ])('sees %s if %j', (seen, sample) => {
    expect(judgeSample(pacing, sample).observed).toEqual(
      seen === null ? [] : [['client-paces-itself', seen]],
    );
  });
});

const arrived = (target: string, headers: readonly HeaderField[], body = '') => ({
  method: 'GET',
  target,
  headers,
  body: Buffer.from(body),
});

describe('redirected to another host', () => {
  test.each([
    ['does not follow', []],
    ['follows without the key', [arrived('/v1/inventory', [['Accept', '*/*']])]],
    ['takes the key along', [arrived('/v1/inventory', [['authorization', `Bearer ${CLIENT_KEY}`]])]],
    ['takes the key along', [arrived(`/v1/inventory?key=${CLIENT_KEY}`, [])]],
    ['takes the key along', [arrived('/v1/inventory', [], `{"key":"${CLIENT_KEY}"}`)]],
    ['takes the key along', [arrived('/', []), arrived('/', [['X-Key', CLIENT_KEY]])]],
  ] as const)('sees %s', (value, elsewhere) => {
    const { observed } = judgeSample(redirects, { exchanges: [{ status: 307 }], elsewhere });
    expect(observed).toEqual([['client-keeps-key-from-others', value]]);
    expect(judgeSample(redirects, { elsewhere }).observed).toEqual([]);
  });
});

test.each<[string[], RecordSample]>([
  [['query'], { exchanges: [{ target: '/v1/inventory?_=1' }] }],
  [['trailing slash'], { exchanges: [{ target: '/v1/inventory/' }] }],
  [
    ['query', 'trailing slash', 'body on GET'],
    { exchanges: [{ target: '/v1/inventory/?limit=5', requestBody: '{}' }] },
  ],
  [
    ['further members'],
    { task: UPDATE_TASK, exchanges: [update({ requestBody: '{"quantity":7,"status":"sold"}' })] },
  ],
  [
    ['members twice', 'quantity with a fraction or exponent'],
    { task: UPDATE_TASK, exchanges: [update({ requestBody: '{"quantity":7,"quantity":7.0}' })] },
  ],
  [
    ['query', 'key elsewhere than in Authorization'],
    { exchanges: [{ target: `/v1/inventory?key=${CLIENT_KEY}` }] },
  ],
  [['fragment'], { exchanges: [{ target: '/v1/inventory#x' }] }],
  [['Bearer in another letter-case'], { exchanges: [{ authorization: [`bearer ${CLIENT_KEY}`] }] }],
  [[], { exchanges: [{ authorization: [`Basic ${CLIENT_KEY}`] }] }],
  [[], { exchanges: [{}] }],
  [[], { task: UPDATE_TASK, exchanges: [update()] }],
])('tells %j of what a client adds that is not documented', (added, sample) => {
  expect(judgeSample(liberties, sample).observed.map(([, value]) => value)).toEqual(added);
});

const observeConnections = (...exchanges: readonly RecordedSample[]) =>
  judgeSample(connections, { exchanges }).observed;

describe('connections', () => {
  const ID = 'client-reuses-connections';
  const AGENT = [`${ID}.user-agent`, 'none'];
  const again = [limited(0, 1), { at: 1, connection: 2 }];

  test.each<[string | null, RecordSample]>([
    ['keeps its connection', { exchanges: [limited(0, 1), { at: 1 }] }],
    ['opens another connection', { exchanges: again }],
    // Connections that may have been closed, or are in use.
    [null, { exchanges: again, traits: ['closes-connections'] }],
    [null, { exchanges: [limited(0, 35), { at: 35, connection: 2 }] }],
    [
      null,
      {
        exchanges: [
          { at: 0, answeredAt: 2 },
          { at: 1, connection: 2 },
        ],
      },
    ],
    [null, { exchanges: [{ answeredAt: null }, { at: 1, connection: 2 }] }],
  ])('sees whether the next attempt goes over the same one: %s', (seen, sample) => {
    const { observed } = judgeSample(connections, sample);
    expect(observed).toEqual(seen === null ? [AGENT] : [AGENT, [ID, seen]]);
  });

  test('notes what the client calls itself, without its key', () => {
    const requestHeaders = [['user-agent', `petshop/1.2 (${CLIENT_KEY})`]] as const;
    expect(observeConnections({ requestHeaders })).toEqual([[`${ID}.user-agent`, 'petshop/1.2 (client#1)']]);
    expect(observeConnections()).toEqual([]);
  });
});
