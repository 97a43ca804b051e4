import { describe, expect, test } from 'vitest';

import { newUsage } from '../keys.ts';
import { MONITORS } from './index.ts';
import { goodManners, retryAfter, silences, validKeys } from './responses.ts';
import { freeKey, watch } from './watch.test-data.ts';

describe('validKeys', () => {
  test.each([
    ['listInventory', 200, true],
    ['listInventory', 429, true],
    ['listInventory', 401, false],
    ['updateInventory', 404, true],
    ['updateInventory', 400, true],
    ['updateInventory', 401, false],
    ['getPet', 401, false],
  ] as const)('of %s that was answered %i says %s', (operation, status, holds) => {
    const { judged } = watch(validKeys, { operation, status }, { key: freeKey() });
    expect(judged).toEqual({ 'valid-key-accepted': holds });
  });

  test('leaves open whether a 401 is an unjust ban, or that of a limit', () => {
    const { judged, mayBreak } = watch(validKeys, { status: 401 }, { key: freeKey() });
    expect(judged).toEqual({ 'valid-key-accepted': false });
    expect(mayBreak).toEqual(['ban-only-after-continued', 'refusal-is-429']);
  });

  test('leaves open whether the ban of another key is why', () => {
    const circumstances = { key: freeKey(), mayOtherBeBanned: () => true };
    const { judged, mayBreak } = watch(validKeys, { status: 401 }, circumstances);
    expect(judged).toEqual({ 'valid-key-accepted': false });
    expect(mayBreak).toContain('keys-independent-in-ban');
  });

  test('leaves a 403 to the monitor of the limits', () => {
    expect(watch(validKeys, { status: 403 }, { key: freeKey() }).judged).toEqual({});
  });

  test.each([
    ['a request without a known key', { key: null }],
    ['a key that may be banned', { key: freeKey(), mayBeBanned: true }],
    ['a configured key that never worked', { key: freeKey({ issued: false }) }],
  ])('has no say in %s', (_what, circumstances) => {
    expect(watch(validKeys, { status: 401 }, circumstances).judged).toEqual({});
  });

  test('judges a configured key that has worked before', () => {
    const key = freeKey({ issued: false, usage: { ...newUsage(), accepted: 1 } });
    expect(watch(validKeys, { status: 401 }, { key }).judged).toEqual({ 'valid-key-accepted': false });
  });
});

describe('retryAfter', () => {
  test.each([
    ['60', 'delta-seconds'],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 'http-date'],
  ])('accepts %s', (value, form) => {
    const { judged, observed } = watch(retryAfter, { status: 429, headers: [['Retry-After', value]] });
    expect(judged).toEqual({ 'retry-after-present': true, 'retry-after-valid': true });
    expect(observed).toEqual([['retry-after-format', form]]);
  });

  test.each(['', '-1', 'soon'])('does not accept "%s"', (value) => {
    const { judged } = watch(retryAfter, { status: 429, headers: [['Retry-After', value]] });
    expect(judged).toEqual({ 'retry-after-present': true, 'retry-after-valid': false });
  });

  test('finds that it is missing, or stands twice', () => {
    expect(watch(retryAfter, { status: 429 }).judged).toEqual({ 'retry-after-present': false });
    const headers = [
      ['Retry-After', '1'],
      ['retry-after', '1'],
    ] as const;
    expect(watch(retryAfter, { status: 429, headers }).judged['retry-after-present']).toBe(false);
  });

  test('judges a 429 to any request, and nothing but a 429', () => {
    expect(watch(retryAfter, { status: 429, operation: null }).judged).not.toEqual({});
    for (const status of [200, 401, 403, 503]) {
      expect(watch(retryAfter, { status, headers: [['Retry-After', 'soon']] }).judged).toEqual({});
    }
  });
});

describe('goodManners', () => {
  test.each([
    [200, true],
    [404, true],
    [500, false],
  ])('of a %i says %s', (status, holds) => {
    expect(watch(goodManners, { status, operation: null }).judged).toEqual({ 'no-server-error': holds });
  });

  test('wants WWW-Authenticate on a 401, except of a banned key', () => {
    const challenge = watch(goodManners, { status: 401, headers: [['www-authenticate', 'Bearer']] });
    expect(challenge.judged['www-authenticate']).toBe(true);
    expect(watch(goodManners, { status: 401 }).judged['www-authenticate']).toBe(false);
    for (const [value, holds] of [
      ['', false],
      ['"realm"', false],
      ['realm="pets"', false],
      ['Bearer realm="pets", error="invalid_token"', true],
      ['Negotiate', true],
    ] as const) {
      const { judged } = watch(goodManners, { status: 401, headers: [['WWW-Authenticate', value]] });
      expect(judged['www-authenticate']).toBe(holds);
    }
    expect(
      watch(goodManners, { status: 401 }, { mayBeBanned: true }).judged['www-authenticate'],
    ).toBeUndefined();
    expect(watch(goodManners, { status: 403 }).judged['www-authenticate']).toBeUndefined();
  });

  test.each([
    ['Sunset', 'sunset-header', 'Sat, 31 Dec 2033 23:59:59 GMT', true],
    ['Sunset', 'sunset-header', '2033-12-31', false],
    ['Deprecation', 'deprecation-header', '@1688169599', true],
    ['Deprecation', 'deprecation-header', '@-1', true],
    ['Deprecation', 'deprecation-header', 'Sat, 31 Dec 2033 23:59:59 GMT', false],
    ['Deprecation', 'deprecation-header', '@1688169599.5', false],
  ] as const)('of %s: judges %s of %s', (name, id, value, holds) => {
    const { judged } = watch(goodManners, { operation: 'getPet', headers: [[name, value]] });
    expect(judged).toEqual({ 'no-server-error': true, [id]: holds });
  });
});

describe('silences', () => {
  const ERROR = '{"code":"c","message":"m","status":429}';

  test.each([
    ['', 'empty', []],
    [ERROR, 'Error object', []],
    ['{"error":"slow down"}', 'other JSON object', []],
    ['[]', 'JSON array', []],
    ['"slow down"', 'JSON value', []],
    ['slow down', 'text/plain', [['Content-Type', 'text/plain; charset=utf-8']]],
    ['slow down', 'no media type', []],
  ] as const)('observes the body of a 429 and of a ban: %s', (body, kind, headers) => {
    const limited = watch(silences, { status: 429, body, headers });
    expect(limited.observed).toEqual([['body-of-429', kind]]);
    const banned = watch(silences, { status: 403, body, headers }, { mayBeBanned: true });
    expect(banned.observed).toEqual([['body-of-ban', kind]]);
    expect(limited.judged).toEqual({});
  });

  test('observes headers that hint at limits, caching or deprecation', () => {
    const headers = [
      ['X-RateLimit-Limit', '60'],
      ['RateLimit-Policy', '"minute";q=60;w=60'],
      ['X-RateLimit-Policy', '60;w=60'],
      ['ETag', '"1"'],
      ['Server', 'x'],
    ] as const;
    expect(watch(silences, { headers }).observed).toEqual([
      ['extra-headers', 'ratelimit-policy'],
      ['extra-headers', 'x-ratelimit-policy'],
      ['extra-headers', 'etag'],
    ]);
  });
});

describe('every monitor', () => {
  test('has an id of its own', () => {
    expect(new Set(MONITORS.map(({ id }) => id)).size).toBe(MONITORS.length);
  });

  test('says nothing but what it announces, and finds nothing in a good exchange', () => {
    const now = Date.UTC(2026, 0, 1);
    const headers = [
      ['Date', new Date(now).toUTCString()],
      ['Content-Type', 'application/json; charset=utf-8'],
      ['X-RateLimit-Limit', '60'],
      ['X-RateLimit-Remaining', '59'],
      ['X-RateLimit-Reset', String(now / 1000 + 60)],
    ] as const;
    const body = '[{"petId":9007199254740993,"quantity":5,"status":"available"}]';
    for (const monitor of MONITORS) {
      const seen = watch(monitor, { headers, body, startedAt: new Date(now) }, { key: freeKey() });
      expect(seen.messages).toEqual([]);
      expect(monitor.judges).toEqual(expect.arrayContaining(Object.keys(seen.judged)));
    }
  });
});
