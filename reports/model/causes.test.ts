import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { Finding, HeaderField } from '../../contract/verdict.ts';
import { attention, reportCauses } from './attention.ts';
import { groupByCause, listCauses } from './causes.ts';
import type { ReportedRequirement } from './report.ts';

/** What was seen: a request such as `PATCH /inventory/7`, by a check; the number tells exchanges apart. */
type Seen = readonly [request: string, check: string, number: number];

interface Failure {
  readonly id: string;
  readonly violated?: number;
  readonly judged?: number;
  /** How often it held. */
  readonly held?: number;
  readonly level?: 'must' | 'should';
  readonly seen?: readonly Seen[];
  /** Status and header fields of the answers that were seen; no answer by default. */
  readonly answered?: readonly [status: number, headers: readonly HeaderField[]];
  /** Methods of the requests that led there. */
  readonly after?: readonly string[];
}

function failure({
  id,
  violated = 1,
  judged = violated,
  held = 0,
  level = 'must',
  seen = [],
  answered,
  after,
}: Failure): ReportedRequirement {
  return {
    id,
    level,
    area: 'any',
    outcome: 'fail',
    title: 'A requirement.',
    clause: 'Endpoints',
    evidence: held,
    tally: { violated, judged, of: 'judgements' },
    checks: [],
    findings: seen.map((one) => findingOf(one, answered, after)),
  };
}

function findingOf(
  [request, check, number]: Seen,
  answered: Failure['answered'],
  after: readonly string[] | undefined,
): Finding {
  const [method = '', path = ''] = request.split(' ');
  const url = `http://127.0.0.1:8080/v1${path}`;
  return {
    message: `Seen ${number}.`,
    check,
    exchange: {
      request: { method, url, headers: [], body: null },
      response:
        answered === undefined ? null : { status: answered[0], headers: answered[1], body: '', bodyBytes: 0 },
      sentAt: new Date(number).toISOString(),
      durationMilliseconds: 1,
    },
    ...(after === undefined
      ? {}
      : {
          steps: after.map((step) => ({
            method: step,
            url,
            authorization: null,
            body: null,
            status: 200,
            headers: [],
            count: 1,
            atMilliseconds: 0,
          })),
        }),
  };
}

/** The causes as ids: each root with what follows from it. */
function causesOf(...failures: readonly Failure[]): readonly (readonly [string, readonly string[]])[] {
  const causes = reportCauses({ requirements: failures.map(failure), level: 'must' });
  return causes.map(({ requirement, explains }) => [requirement, explains]);
}

const LIST: Seen = ['GET /inventory', 'list', 1];
const ORDERS: Seen = ['GET /store/orders', 'keyless-reads', 2];

describe('one fault is one cause', () => {
  test('a list that is no array makes everything about the list fail', () => {
    expect(
      causesOf(
        { id: 'list-complete', violated: 9 },
        { id: 'item-pet-id', violated: 9 },
        { id: 'update-persists', violated: 40 },
        { id: 'list-succeeds', violated: 9 },
      ),
    ).toEqual([['list-succeeds', ['list-complete', 'item-pet-id', 'update-persists']]]);
  });

  test('without X-RateLimit-Remaining nothing about its value holds', () => {
    expect(causesOf({ id: 'remaining-falls' }, { id: 'header-remaining', violated: 80 })).toEqual([
      ['header-remaining', ['remaining-falls']],
    ]);
  });

  test('a body that is a page has no members of an Error object', () => {
    const seen: readonly Seen[] = [LIST];
    expect(
      causesOf(
        { id: 'error-code', seen },
        { id: 'error-message', seen },
        { id: 'content-type-json', seen: [LIST, ['PATCH /inventory/7', 'update', 2]] },
      ),
    ).toEqual([['content-type-json', ['error-code', 'error-message']]]);
  });

  test('an answer that a banned key must not get explains whatever else is answered so', () => {
    const failures = (status: number): readonly Failure[] => [
      { id: 'list-succeeds', seen: [LIST], answered: [status, []] },
      { id: 'update-malformed-body', seen: [ORDERS], answered: [status, []] },
    ];
    const ban: Failure = { id: 'ban-answer', seen: [ORDERS], answered: [418, []] };
    expect(causesOf(...failures(418), ban)).toEqual([
      ['ban-answer', ['list-succeeds', 'update-malformed-body']],
    ]);
    expect(causesOf(...failures(500), ban)).toContainEqual(['ban-answer', []]);
  });

  test('of limits that explain each other, the one that explains most is the cause', () => {
    const free: Seen = ['GET /inventory', 'minute-limit-free', 1];
    const pro: Seen = ['GET /inventory', 'minute-limit-pro', 2];
    const business: Seen = ['GET /inventory', 'minute-limit-business', 3];
    expect(
      causesOf(
        { id: 'minute-limit-free', held: 32, seen: [free] },
        { id: 'minute-limit-pro', held: 1, seen: [pro] },
        { id: 'minute-limit-business', violated: 2, held: 1, seen: [business] },
        { id: 'limit-under-concurrency', violated: 4, held: 64, seen: [free, pro] },
      ),
    ).toEqual([
      ['limit-under-concurrency', ['minute-limit-free', 'minute-limit-pro', 'minute-limit-business']],
    ]);
  });

  test('answers that name another pet are of the update if they are a part of what it does wrong', () => {
    const exact = { id: 'update-exact-pet', violated: 21, seen: [LIST] };
    const item = { id: 'item-pet-id', violated: 19, seen: [LIST] };
    expect(causesOf(item, exact)).toEqual([['update-exact-pet', ['item-pet-id']]]);
    expect(causesOf({ ...item, violated: 21 }, exact)).toEqual([['item-pet-id', ['update-exact-pet']]]);
  });

  test('operations without an inventory that let anybody in explain the keys that they accept', () => {
    const anybody = { id: 'every-operation-authenticates', violated: 2, seen: [] };
    expect(
      causesOf(
        { id: 'unknown-key', violated: 13, seen: [['GET /store/orders', 'unknown-keys', 1]] },
        anybody,
      ),
    ).toEqual([['every-operation-authenticates', ['unknown-key']]]);
    expect(causesOf({ id: 'unknown-key', violated: 13, seen: [LIST] }, anybody)).toEqual([
      ['unknown-key', ['every-operation-authenticates']],
    ]);
    expect(
      causesOf(
        { id: 'unknown-key', violated: 3, seen: [['GET /inventory?stockcheck=1', 'keyless-forms', 1]] },
        anybody,
      ),
    ).toEqual([['every-operation-authenticates', ['unknown-key']]]);
  });
});

describe('counts that are wrong follow from keys that are counted together, or the other way round', () => {
  test('keys that are not independent explain counts that are wrong', () => {
    const renews = { id: 'limit-renews' };
    expect(causesOf(renews, { id: 'keys-independent-at-limit' })).toEqual([
      ['keys-independent-at-limit', ['limit-renews']],
    ]);
  });

  test('a count of remaining requests that is wrong for each key is nothing between keys', () => {
    const apart = { id: 'keys-independent-at-limit', violated: 4, judged: 24 };
    const falls = { id: 'remaining-falls' };
    expect(causesOf(apart, { ...falls, violated: 22, judged: 33 })).toEqual([
      ['remaining-falls', ['keys-independent-at-limit']],
    ]);
    expect(causesOf(apart, { ...falls, violated: 2, judged: 237 })).toEqual([
      ['keys-independent-at-limit', ['remaining-falls']],
    ]);
  });
});

describe('what was seen tells what is more basic', () => {
  test('a limit that holds for each form but not for many requests is no matter of forms', () => {
    const free = { id: 'minute-limit-free', judged: 2 };
    const spellings = { id: 'limit-over-spellings', violated: 2, seen: [ORDERS] };
    expect(causesOf({ ...spellings }, free)).toEqual([['minute-limit-free', ['limit-over-spellings']]]);
    expect(causesOf(free, { id: 'minute-limit-pro' }, { ...spellings })[0]?.[0]).toBe('limit-over-spellings');
  });

  test('a request without a response is the cause of all that asked for it', () => {
    const seen: readonly Seen[] = [ORDERS];
    expect(causesOf({ id: 'unknown-key', violated: 13, seen }, { id: 'valid-key-accepted', seen })).toEqual([
      ['valid-key-accepted', ['unknown-key']],
    ]);
    const others = { id: 'unknown-key', violated: 13, seen: [ORDERS, LIST] };
    expect(causesOf(others, { id: 'valid-key-accepted', seen })).toHaveLength(2);
  });
});

test('two faults that have nothing to do with each other are two causes', () => {
  expect(causesOf({ id: 'bearer-scheme' }, { id: 'update-sets' })).toEqual([
    ['bearer-scheme', []],
    ['update-sets', []],
  ]);
});

test('a must follows from no should', () => {
  expect(
    causesOf({ id: 'error-code', seen: [LIST] }, { id: 'readable-json', level: 'should', seen: [LIST] }),
  ).toEqual([
    ['error-code', []],
    ['readable-json', []],
  ]);
});

test('each failure is in one cause, whatever fails', () => {
  const ids = REQUIREMENTS.filter(({ level }) => level !== 'observe').map(({ id }) => id);
  const failures = fc.uniqueArray(
    fc.record({
      id: fc.constantFrom(...ids),
      violated: fc.integer({ min: 1, max: 50 }),
      held: fc.integer({ min: 0, max: 2 }),
      level: fc.constantFrom('must', 'should'),
      seen: fc.array(
        fc.tuple(
          fc.constantFrom('GET /inventory', 'PATCH /inventory/7', 'GET /store/orders'),
          fc.constantFrom('list', 'update'),
          fc.integer({ min: 1, max: 3 }),
        ),
        { maxLength: 3 },
      ),
    }),
    { selector: ({ id }) => id },
  );
  fc.assert(
    fc.property(failures, (given) => {
      const rows = given.map(failure);
      const causes = groupByCause(rows, ({ level }) => level === 'must');
      const listed = listCauses(causes).map(({ row }) => row);
      expect(new Set(listed)).toEqual(new Set(rows));
      expect(listed).toHaveLength(rows.length);
      const { failures: decisive } = attention({ requirements: rows, level: 'must' });
      expect(decisive.length > 0).toBe(rows.some(({ level }) => level === 'must'));
    }),
  );
});
