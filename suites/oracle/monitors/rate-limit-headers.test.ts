import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import type { Operation } from '../exchange.ts';
import { rateLimitFields, type ExchangeSample } from '../exchange.test-data.ts';
import type { Circumstances } from '../monitor.ts';
import { followServerClock } from '../server-clock.ts';
import { headerPresence, headerValuesMonitor } from './rate-limit-headers.ts';
import { freeKey, watch } from './watch.test-data.ts';

const NOW = 1_800_000_000;
const ALL_THREE = rateLimitFields(60, 59, NOW + 30);
const dateAt = (unixSeconds: number): HeaderField => ['Date', new Date(unixSeconds * 1000).toUTCString()];

describe('headerPresence', () => {
  const OPERATIONS: readonly Operation[] = ['listInventory', 'updateInventory', 'getPet', 'listOrders'];
  const present = { 'header-limit': true, 'header-remaining': true, 'header-reset': true };

  test.each(
    OPERATIONS.flatMap((operation) =>
      [200, 400, 401, 403, 404, 429, 500].map((status) => [operation, status] as const),
    ),
  )('demands all three of %s on %i', (operation, status) => {
    expect(watch(headerPresence, { operation, status, headers: ALL_THREE }).judged).toEqual(present);
    expect(watch(headerPresence, { operation, status }).judged).toEqual({
      'header-limit': false,
      'header-remaining': false,
      'header-reset': false,
    });
  });

  test('demands nothing of what is no documented operation', () => {
    expect(watch(headerPresence, { operation: null }).judged).toEqual({});
  });

  test.each([
    [403, 3],
    [304, 0],
  ])('an answer %i may be that to a ban in %i ways', (status, ways) => {
    expect(watch(headerPresence, { status }, { mayBeBanned: true }).mayBreak).toHaveLength(ways);
  });

  test('finds them in any letter-case', () => {
    const headers = ALL_THREE.map(([name, value]): HeaderField => [name.toLowerCase(), value]);
    expect(watch(headerPresence, { headers }).judged).toEqual(present);
  });

  test('says which is no decimal integer', () => {
    expect(watch(headerPresence, { headers: rateLimitFields('60.0', 59, NOW) })).toMatchObject({
      judged: { 'header-limit': false, 'header-remaining': true, 'header-reset': true },
      messages: [expect.stringContaining('X-RateLimit-Limit is "60.0"')],
    });
  });

  test('finds one that stands twice, even with the same value', () => {
    const headers = [...ALL_THREE, ['x-ratelimit-remaining', '59'] as const];
    const { judged, messages } = watch(headerPresence, { headers });
    expect(judged).toEqual({ ...present, 'header-remaining': false });
    expect(messages).toEqual([expect.stringContaining('stands 2 times (59 | 59)')]);
  });
});

const judge = (
  headers: readonly HeaderField[],
  circumstances: Partial<Circumstances> = { key: freeKey() },
  sample: ExchangeSample = {},
) =>
  watch(
    headerValuesMonitor,
    { startedAt: new Date(NOW * 1000), headers: [dateAt(NOW), ...headers], ...sample },
    circumstances,
  ).judged;

const ofLimit = (limit: number, circumstances: Partial<Circumstances>, status = 200) =>
  judge(rateLimitFields(limit, 0, NOW), circumstances, { status })['limit-of-plan'];

const resets = (limit: number, reset: number, circumstances?: Partial<Circumstances>) =>
  judge(rateLimitFields(limit, 0, reset), circumstances)['reset-is-near'];

const WEEK = 7 * 86_400;

const bannedReset = (
  { status = 429, reset, retryAfter }: { status?: number; reset: number; retryAfter?: number | string },
  circumstances: Partial<Circumstances> = {},
) => {
  const told: readonly HeaderField[] = retryAfter === undefined ? [] : [['Retry-After', String(retryAfter)]];
  const headers = [...rateLimitFields(60, 0, reset), ...told];
  return judge(headers, { key: freeKey(), mayBeBanned: true, ...circumstances }, { status })['reset-is-near'];
};

describe('headerValuesMonitor', () => {
  test.each([
    [60, 0, true],
    [60, 60, true],
    [60, 61, false],
    [60, -1, false],
    [0, 0, true],
  ])('of a limit of %i and %i remaining requests says %s', (limit, remaining, holds) => {
    expect(judge(rateLimitFields(limit, remaining, NOW))['remaining-in-range']).toBe(holds);
  });

  test('judges nothing if one header cannot be read, or the operation is not documented', () => {
    expect(judge(rateLimitFields('60', 'many', NOW))).toEqual({});
    expect(judge(ALL_THREE, {}, { operation: null })).toEqual({});
  });

  describe('limit-of-plan', () => {
    test.each([
      [60, true],
      [1_000, true],
      [61, false],
      [300, false],
      [10_000, false],
    ])('of a Free key with a limit of %i says %s', (limit, holds) => {
      expect(ofLimit(limit, { key: freeKey() })).toBe(holds);
    });

    test('asks the limits that were agreed with an Enterprise key', () => {
      const key = freeKey({ plan: 'enterprise', limits: { perMinute: 5_000, perDay: 500_000 } });
      expect(ofLimit(5_000, { key })).toBe(true);
      expect(ofLimit(1_000, { key })).toBe(false);
    });

    test('also judges a 429 and a banned key', () => {
      expect(ofLimit(300, { key: freeKey() }, 429)).toBe(false);
      expect(ofLimit(300, { key: freeKey(), mayBeBanned: true }, 403)).toBe(false);
    });

    test('judges neither a key without known limits nor a request without a known key', () => {
      expect(ofLimit(7, { key: freeKey({ plan: 'enterprise', limits: null }) })).toBeUndefined();
      expect(ofLimit(7, {}, 401)).toBeUndefined();
    });
  });

  describe('reset-is-near', () => {
    test.each([
      ['now', 60, NOW, true],
      ['two seconds ago', 60, NOW - 2, true],
      ['three seconds ago', 60, NOW - 3, false],
      ['at the end of a minute', 60, NOW + 60, true],
      // Date leaves out up to a second, and two are grace.
      ['at the end of a minute, with the grace', 60, NOW + 63, true],
      // A second that Date leaves out, one for a Date from a cache, two of grace.
      ['beyond a minute', 60, NOW + 60 + 5, false],
      ['an hour ahead, by the minute limit', 60, NOW + 3_600, false],
      ['an hour ahead, by the day limit', 1_000, NOW + 3_600, true],
      ['at the end of a day', 1_000, NOW + 86_400, true],
      ['beyond a day', 1_000, NOW + 86_400 + 5, false],
      ['in milliseconds', 60, (NOW + 30) * 1000, false],
      ['seconds from now', 60, 30, false],
      ['zero', 60, 0, false],
    ])('judges a Reset that is %s', (_when, limit, reset, holds) => {
      expect(resets(limit, reset)).toBe(holds);
    });

    test('judges by the clock of the server, however wrong that is', () => {
      const anySkew = fc.integer({ min: -(10 ** 8), max: 10 ** 8 });
      fc.assert(
        fc.property(anySkew, fc.integer({ min: 0, max: 60 }), (skew, ahead) => {
          const serverNow = NOW + skew;
          const by = (reset: number) =>
            watch(
              headerValuesMonitor,
              {
                startedAt: new Date(NOW * 1000),
                headers: [dateAt(serverNow), ...rateLimitFields(60, 0, reset)],
              },
              { key: freeKey() },
            ).judged['reset-is-near'];
          expect(by(serverNow + ahead)).toBe(true);
          expect(by(serverNow + 60 + 5 + ahead)).toBe(false);
          expect(by(serverNow - 3 - ahead)).toBe(false);
        }),
      );
    });

    test('judges by the control clock rather than by Date', () => {
      const clock = followServerClock();
      clock.learnFromControl({ earliest: NOW + 500, latest: NOW + 500 }, 0);
      const circumstances = { key: freeKey(), clock };
      expect(resets(60, NOW + 530, circumstances)).toBe(true);
      expect(resets(60, NOW + 30, circumstances)).toBe(false);
    });

    test('allows a day either way if nothing tells the time of the server', () => {
      const by = (reset: number) =>
        watch(
          headerValuesMonitor,
          { startedAt: new Date(NOW * 1000), headers: rateLimitFields(60, 0, reset) },
          { key: freeKey() },
        ).judged['reset-is-near'];
      expect(by(NOW - 3_600)).toBe(true);
      expect(by(NOW + 3_600)).toBe(true);
      expect(by(30)).toBe(false);
      expect(by(NOW * 1000)).toBe(false);
    });

    test('allows a day to a request without a known key', () => {
      expect(resets(60, NOW + 3_600, {})).toBe(true);
      expect(resets(60, NOW + 2 * 86_400, {})).toBe(false);
    });
  });

  describe('on an answer to a key', () => {
    test.each([401, 403, 429])('that may be banned, lets Reset name the end of the ban on %i', (status) => {
      expect(bannedReset({ status, reset: NOW + 600, retryAfter: 600 })).toBe(true);
      expect(bannedReset({ status, reset: NOW + 600, retryAfter: dateAt(NOW + 600)[1] })).toBe(true);
      expect(bannedReset({ status, reset: NOW + WEEK })).toBe(true);
      expect(bannedReset({ status, reset: NOW + 605, retryAfter: 600 })).toBe(false);
      expect(bannedReset({ status, reset: NOW + 605, retryAfter: dateAt(NOW + 600)[1] })).toBe(false);
      expect(bannedReset({ status, reset: NOW + 5 * WEEK })).toBe(false);
      expect(bannedReset({ status, reset: NOW - 3, retryAfter: 600 })).toBe(false);
    });

    test('that may be banned, still lets Reset name the window when the ban is shorter', () => {
      expect(bannedReset({ reset: NOW + 60, retryAfter: 5 })).toBe(true);
    });

    test('that was granted its request, judges Reset by the window', () => {
      expect(bannedReset({ status: 200, reset: NOW + 600, retryAfter: 600 })).toBe(false);
    });

    test('that kept to its limit, judges Reset by the window', () => {
      expect(bannedReset({ reset: NOW + 600, retryAfter: 90 }, { mayBeBanned: false })).toBe(false);
      expect(bannedReset({ reset: NOW + 7_200, retryAfter: 7_200 }, { mayBeBanned: false })).toBe(false);
    });

    test('that kept to its limit, takes the end of its wait for that of a ban', () => {
      const headers: readonly HeaderField[] = [...rateLimitFields(60, 0, NOW + 600), ['Retry-After', '600']];
      const judged = judge(headers, { key: freeKey(), mayBeBanned: false }, { status: 429 });
      expect(judged['ban-only-after-continued']).toBe(false);
    });

    test('that was configured, takes a refusal before the first accepted request for an earlier ban', () => {
      const configured = freeKey({ issued: false });
      const circumstances = { key: configured, mayBeBanned: false };
      expect(bannedReset({ reset: NOW + 600, retryAfter: 600 }, circumstances)).toBe(true);
      configured.usage.accepted = 1;
      expect(bannedReset({ reset: NOW + 600, retryAfter: 90 }, circumstances)).toBe(false);
    });
  });

  test.each([
    [60, 'full'],
    [0, '0'],
    [59, 'counted'],
  ])('observes what a 401 without a known key leaves: %i', (remaining, value) => {
    const { observed } = watch(headerValuesMonitor, {
      status: 401,
      headers: rateLimitFields(60, remaining, NOW),
    });
    expect(observed).toEqual([['headers-without-key.remaining', value]]);
  });
});

test.each([
  [
    'a configured key',
    { issued: false },
    /a limit of the plan pro: either the key stands under the wrong plan/,
  ],
  ['a key that was issued for the run', { issued: true }, /whose plan has 60 a minute and 1000 a day\.$/],
])(
  'a limit of another plan is a violation with %s, and the message says who may be at fault',
  (_what, changes, said) => {
    const { judged, messages } = watch(
      headerValuesMonitor,
      { headers: rateLimitFields(300, 299, 60) },
      { key: freeKey(changes) },
    );
    expect(judged['limit-of-plan']).toBe(false);
    expect(messages.find((message) => message.startsWith('X-RateLimit-Limit is 300'))).toMatch(said);
  },
);
