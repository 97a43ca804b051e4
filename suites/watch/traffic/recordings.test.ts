import { expect, test } from 'vitest';

import { markUnseenFields, splitByClock, withoutDuplicates } from './recordings.ts';
import type { TrafficExchange } from './traffic-exchange.ts';

/** A response in so many seconds of the service's clock, recorded by a clock that is so many seconds ahead. */
function exchange(at: number, ahead: number, date: string | null = dateAt(at)): TrafficExchange {
  const sentAt = (at + ahead) * 1_000;
  return {
    request: { method: 'GET', url: 'https://pets.example/v1/inventory', headers: [], body: null, sentAt },
    response: { status: 200, headers: date === null ? [] : [['Date', date]], body: Buffer.from('[]') },
    endedAt: sentAt + 5,
  };
}

function dateAt(at: number): string {
  return new Date(at * 1_000).toUTCString();
}

test('a recording by one clock is one, though some Dates are stale', () => {
  const recording = Array.from({ length: 90 }, (_, at) => exchange(at, 40, dateAt(at - (at % 7))));
  expect(splitByClock(recording)).toEqual([recording]);
});

test('what each of two clocks recorded is apart, in order, and so is what tells of none', () => {
  const first = [exchange(0, 0), exchange(2, 0), exchange(4, 0)];
  const second = [exchange(1, 40), exchange(3, 40)];
  const none = [exchange(5, 0, null)];
  expect(splitByClock([...first, ...second, ...none])).toEqual([second, first, none]);
});

test.each([-8, -3, 4, 9.5])('a clock that was set by %d s is another one from then on', (step) => {
  const before = Array.from({ length: 9 }, (_, at) => exchange(at * 0.7, 40));
  const after = Array.from({ length: 9 }, (_, at) => exchange(7 + at * 0.7, 40 + step));
  expect(splitByClock([...before, ...after])).toEqual([before, after]);
});

test('Dates that are anything tell of no clocks', () => {
  const recording = Array.from({ length: 40 }, (_, at) => exchange(at, 0, dateAt(at * 1_000)));
  expect(splitByClock(recording)).toEqual([recording]);
});

test.each([
  ['that are all those of the export', (at: number) => at % 7],
  ['that are whole minutes', (at: number) => 60_000 * Math.floor(at / 30)],
])('of moments %s nothing is compared', (_what, momentOf) => {
  const recording = Array.from({ length: 90 }, (_, at) => {
    const one = exchange(at, 0);
    return { ...one, request: { ...one.request, sentAt: momentOf(at) }, endedAt: momentOf(at) + 9 };
  });
  expect(splitByClock(recording)).toEqual(recording.map((one) => [one]));
});

test('what was recorded twice is left out, and what followed is not, whatever the order of the file', () => {
  const given = exchange(0, 0);
  const at = (milliseconds: number, remaining: number): TrafficExchange => ({
    ...given,
    request: { ...given.request, sentAt: milliseconds },
    response: { status: 200, headers: [['X-RateLimit-Remaining', `${remaining}`]], body: Buffer.from('[]') },
    endedAt: milliseconds + 20.8,
  });
  const [first, twice, beside] = [at(1_000, 59), at(1_000, 59), at(1_001, 58)];
  const [seenByProxy, later] = [at(1_002, 59), at(1_022, 59)];
  expect(withoutDuplicates([later, first, twice, beside, seenByProxy])).toEqual([later, first, beside]);
});

test.each([200, 404])(
  'what was answered %d is the same at each hop, whatever that does to its fields',
  (status) => {
    const given = exchange(0, 0);
    const seenAs = (headers: readonly (readonly [string, string])[]): TrafficExchange => ({
      ...given,
      response: { status, headers, body: Buffer.from('[]') },
    });
    const atBrowser = seenAs([
      ['x-ratelimit-remaining', '59'],
      ['date', 'today'],
      ['via', '2 proxy'],
    ]);
    const atProxy = seenAs([
      ['Date', 'today'],
      ['X-RateLimit-Remaining', '59'],
      ['Content-Encoding', 'gzip'],
    ]);
    const another = seenAs([
      ['Date', 'today'],
      ['X-RateLimit-Remaining', '58'],
    ]);
    expect(withoutDuplicates([atBrowser, atProxy, another])).toEqual([atBrowser, another]);
  },
);

test.each([
  ['Content-Type', 'all'],
  ['X-RateLimit-Limit', 'all'],
  ['Date', undefined],
] as const)('if no field tells more than %s, a script may have recorded: %s', (name, omittedHeaders) => {
  const given = exchange(0, 0, null);
  const seen = { ...given, response: { status: 429, headers: [[name, '60']] as const, body: undefined } };
  const [marked] = markUnseenFields([seen]);
  expect(marked?.response?.omittedHeaders).toBe(omittedHeaders);
});
