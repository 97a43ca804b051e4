import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { isLoopback, resolveTargetConfig, targetWarnings, type TargetConfig } from './target-config.ts';

const TARGET = 'http://127.0.0.1:8080/v1';
const SMALLEST = { target: TARGET, keys: { free: ['k1'] } };

function problemsOf(value: unknown, source?: string): readonly string[] {
  try {
    resolveTargetConfig(value, source);
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message.split('\n');
    }
    throw error;
  }
  return [];
}

describe('a configuration that uses every field', () => {
  const config = resolveTargetConfig({
    $schema: './target-config.schema.json',
    target: 'http://127.0.0.1:8080/v1',
    keys: {
      free: ['k1', 'k2', 'k3'],
      pro: ['k4'],
      business: ['k5'],
      enterprise: [{ key: 'k6', perMinute: 5000, perDay: 500_000 }],
    },
    revokedKeys: ['k9'],
    control: 'http://127.0.0.1:9090',
    pets: { existing: ['1', '9007199254740993'], missing: '404404404' },
    profile: 'full',
  });

  test('is resolved to the limits of each plan, labels and exact petIds', () => {
    const free = { plan: 'free', limits: { perMinute: 60, perDay: 1_000 } } as const;
    expect(config).toEqual({
      target: 'http://127.0.0.1:8080/v1',
      keys: [
        { key: 'k1', ...free, label: 'free#1' },
        { key: 'k2', ...free, label: 'free#2' },
        { key: 'k3', ...free, label: 'free#3' },
        { key: 'k4', plan: 'pro', limits: { perMinute: 300, perDay: 10_000 }, label: 'pro#1' },
        { key: 'k5', plan: 'business', limits: { perMinute: 1_000, perDay: 100_000 }, label: 'business#1' },
        {
          key: 'k6',
          plan: 'enterprise',
          limits: { perMinute: 5_000, perDay: 500_000 },
          label: 'enterprise#1',
        },
      ],
      revokedKeys: ['k9'],
      control: 'http://127.0.0.1:9090',
      pets: { existing: [1n, 9_007_199_254_740_993n], missing: 404_404_404n },
      profile: 'full',
      load: { scenarios: [] },
    } satisfies TargetConfig);
  });
});

describe('keys', () => {
  test('have limits of their own in any plan if they are given', () => {
    const { keys } = resolveTargetConfig({
      target: TARGET,
      keys: { free: [{ key: 'k1', perMinute: 5, perDay: 50 }] },
    });
    expect(keys[0]?.limits).toEqual({ perMinute: 5, perDay: 50 });
  });

  test('of the enterprise plan have no limits unless they are given', () => {
    const { keys } = resolveTargetConfig({ target: TARGET, keys: { enterprise: ['k1'] } });
    expect(keys[0]?.limits).toBeNull();
  });

  test('are needed, one at least, if there is no control URL', () => {
    expect(problemsOf({ target: TARGET })).toEqual([
      'keys must hold at least one API key, unless there is a control URL',
    ]);
    expect(problemsOf({ target: TARGET, keys: { free: [] }, revokedKeys: ['k9'] })).toHaveLength(1);
    expect(problemsOf({ target: TARGET, control: 'http://127.0.0.1:9090' })).toEqual([]);
  });

  test('stand once, over all plans and the revoked keys', () => {
    expect(
      problemsOf({
        target: TARGET,
        keys: { free: ['k1', 'k1'], pro: [{ key: 'k2', perMinute: 1, perDay: 1 }] },
        revokedKeys: ['k2'],
      }),
    ).toEqual(['keys.free[1] is the same as keys.free[0]', 'revokedKeys[0] is the same as keys.pro[0]']);
  });

  test('that no header can carry are refused, and not shown', () => {
    const unsendable = fc
      .tuple(
        fc.string(),
        fc.constantFrom(' ', '\t', '\n', '\u0000', '\u007f', 'é', '雪', '\u00a0'),
        fc.string(),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(unsendable, (key) => {
        expect(problemsOf({ target: TARGET, keys: { free: ['k1', key] }, revokedKeys: [key] })).toEqual([
          'keys.free[1] must be an API key: printable ASCII characters without spaces',
          'revokedKeys[0] must be an API key: printable ASCII characters without spaces',
        ]);
      }),
    );
  });
});

describe('a problem names the field', () => {
  test.each([
    [{ ...SMALLEST, taget: 'x' }, 'taget is not a known field; did you mean target?'],
    [{ ...SMALLEST, pets: { mising: '4' } }, 'pets.mising is not a known field; did you mean pets.missing?'],
    [{ ...SMALLEST, keys: { fre: ['k1'] } }, 'keys.fre is not a known field; did you mean keys.free?'],
    [
      { ...SMALLEST, keys: { 'fr ee\u001b': [] } },
      'keys["fr ee\\u001b"] is not a known field; known here: free, pro, business, enterprise',
    ],
    [
      { ...SMALLEST, nonsense: 1 },
      'nonsense is not a known field; known here: target, keys, revokedKeys, control, pets, profile, load',
    ],
    [{ keys: { free: ['k1'] } }, 'target is missing'],
    [[], 'the configuration must be an object, not an array'],
    [null, 'the configuration must be an object, not null'],
    [{ ...SMALLEST, keys: ['k1'] }, 'keys must be an object with the keys of each plan, not an array'],
    [{ ...SMALLEST, keys: { free: 'k1' } }, 'keys.free must be an array of API keys, not a string'],
    [
      { ...SMALLEST, keys: { free: ['k1', ''] } },
      'keys.free[1] must be an API key: printable ASCII characters without spaces, but it is empty',
    ],
    [
      { ...SMALLEST, keys: { free: ['k1', 7] } },
      'keys.free[1] must be an API key: printable ASCII characters without spaces, not a number',
    ],
    [
      { ...SMALLEST, keys: { pro: [{ key: 'k1', perMinute: 0.5, perDay: '1' }] } },
      'keys.pro[0].perMinute must be a whole number of requests, at least 1',
      'keys.pro[0].perDay must be a whole number of requests, at least 1, not a string',
    ],
    [{ ...SMALLEST, keys: { pro: [{ key: 'k1', perMinute: 1 }] } }, 'keys.pro[0].perDay is missing'],
    [{ ...SMALLEST, profile: 'fast' }, 'profile must be safe, standard or full, not "fast"'],
    [
      { ...SMALLEST, pets: { existing: [1] } },
      'pets.existing[0] must be a petId: an int64 as a string of decimal digits, such as "9007199254740993", not a number',
    ],
    [
      { ...SMALLEST, pets: { existing: ['9223372036854775807'], missing: '9223372036854775808' } },
      'pets.missing must fit int64, and 9223372036854775808 does not',
    ],
    [
      { ...SMALLEST, pets: { existing: ['7'], missing: '7' } },
      'pets.missing is the same as pets.existing[0]',
    ],
  ])('%j', (value, ...problems) => {
    expect(problemsOf(value)).toEqual(problems);
  });

  test('and where it came from', () => {
    expect(problemsOf({ ...SMALLEST, x: 1, y: 1 }, 'my.json')).toEqual([
      expect.stringMatching(/^my[.]json: x is not a known field/),
      expect.stringMatching(/^my[.]json: y is not a known field/),
    ]);
  });
});

describe('target and control', () => {
  const notAUrl = 'must be an http or https URL without query, fragment or credentials';

  test.each([
    ['ftp://host/v1', notAUrl],
    ['http://user:secret@host/v1', notAUrl],
    ['http://host/v1?a=b', notAUrl],
    ['http://host/v1#a', notAUrl],
    ['http://', notAUrl],
    [' http://host/v1', notAUrl],
    ['localhost:8080/v1', `${notAUrl}; did you mean http://localhost:8080/v1?`],
    ['http://host:99999/v1', 'must be a URL with a valid host and port'],
  ])('%s is refused', (url, problem) => {
    expect(problemsOf({ ...SMALLEST, target: url })).toEqual([`target ${problem}`]);
    expect(problemsOf({ ...SMALLEST, control: url })).toEqual([`control ${problem}`]);
  });

  test('lose the slash at their end', () => {
    const config = resolveTargetConfig({ ...SMALLEST, target: `${TARGET}/`, control: 'http://[::1]:9090/' });
    expect(config).toMatchObject({ target: TARGET, control: 'http://[::1]:9090' });
  });

  test('a day of fewer requests than a minute is a warning', () => {
    const enterprise = [{ key: 'key-one', perMinute: 50, perDay: 5 }];
    expect(targetWarnings(resolveTargetConfig({ ...SMALLEST, keys: { enterprise } }))).toEqual([
      expect.stringContaining('enterprise#1 has a smaller perDay than perMinute'),
    ]);
  });

  test('a target that does not end in /v1 is a warning', () => {
    expect(targetWarnings(resolveTargetConfig({ ...SMALLEST, target: `${TARGET}/` }))).toEqual([]);
    expect(targetWarnings({ target: 'http://127.0.0.1:8080', keys: [] })).toEqual([
      'target http://127.0.0.1:8080 does not end in /v1, as base addresses of the service do',
    ]);
  });
});

describe('the profile', () => {
  const remote = { ...SMALLEST, target: 'https://staging.example/v1' };

  test.each([
    [SMALLEST, 'full'],
    [remote, 'standard'],
    [{ ...remote, control: 'https://staging.example/control' }, 'full'],
    [{ ...SMALLEST, profile: 'safe' }, 'safe'],
    [{ ...remote, profile: 'full' }, 'full'],
  ])('of %j is %s', (value, profile) => {
    expect(resolveTargetConfig(value).profile).toBe(profile);
  });

  test.each([
    ['http://localhost:8080/v1', true],
    ['http://LOCALHOST/v1', true],
    ['http://127.0.0.1/v1', true],
    ['http://127.255.3.9:81/v1', true],
    ['http://[::1]:8080/v1', true],
    ['http://128.0.0.1/v1', false],
    ['http://127.example/v1', false],
    ['http://localhost.example/v1', false],
    ['http://[::2]/v1', false],
  ])('%s is loopback: %s', (url, loopback) => {
    expect(isLoopback(url)).toBe(loopback);
  });
});

test('any JSON value is either resolved or refused with a ConfigurationError', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(() => problemsOf(value)).not.toThrow();
      expect(() => problemsOf({ ...SMALLEST, keys: value, pets: value })).not.toThrow();
    }),
  );
});
