import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConfigurationError } from '../../contract/configuration-error.ts';
import { readThreshold } from './threshold-expression.ts';

test.each([
  ['p99<100ms', 'p99 < 100 ms'],
  ['p99.9 < 0.25s', 'p99.9 < 0.25 s'],
  [' P99.99<=5E2US ', 'p99.99 <= 500 us'],
  ['p50<70µs', 'p50 < 70 us'],
  ['service.p99<50ms', 'service.p99 < 50 ms'],
  ['goodput>=500', 'goodput >= 500/s'],
  ['rate >= 99 %', 'rate >= 99%'],
  ['capacity > 1.50/s', 'capacity > 1.5/s'],
])('%s is read as %s', (text, expression) => {
  expect(readThreshold(text, '--threshold').expression).toBe(expression);
});

test('an expression is read as itself', () => {
  const times = ['p50', 'p99.9', 'max', 'mean', 'min', 'service.p75', 'service.p99.99'];
  const limited = fc.oneof(
    fc.tuple(fc.constantFrom(...times), fc.constantFrom('ms', 's', 'us')),
    fc.tuple(fc.constantFrom('goodput', 'capacity'), fc.constant('/s')),
    fc.tuple(fc.constant('lost'), fc.constant('')),
  );
  const number = fc.double({ min: 1e-12, max: 1e300, noNaN: true });
  fc.assert(
    fc.property(limited, fc.constantFrom('<', '<=', '>', '>=', '=='), number, ([name, unit], sign, limit) => {
      const rule = readThreshold(`${name}${sign}${limit}${unit}`, '--threshold');
      expect(rule).toMatchObject({ operator: sign, limit, unit });
      expect(rule.measure.name).toBe(name);
      expect(readThreshold(rule.expression, '--threshold')).toEqual(rule);
    }),
  );
});

describe('a refusal says what would be right', () => {
  test.each([
    ['', 'a threshold is a measure, an operator and a limit, such as p99<100ms'],
    ['p99', 'a measure, an operator and a limit'],
    ['p99<-5ms', 'a measure, an operator and a limit'],
    ['p99<1,000ms', ',000ms is no unit of p99; write it like 100ms, 0.1s or 500us'],
    ['error<1%', 'error is no measure. Did you mean errors?'],
    ['availability>99%', 'availability is no measure; there are p99.99, p99.9, p99'],
    ['p99=<100ms', '=< is no operator; use <, <=, >, >= or =='],
    ['p99<100', 'the limit has no unit; write it like 100ms'],
    ['goodput>5ms', 'ms is no unit of goodput; write it like 500/s'],
    ['errors<101%', 'a share is at most 100%'],
    ['p99<1e999s', 'the limit is too large a number'],
    ['lost<0', 'no value keeps this limit'],
    ['rate>100%', 'no value keeps this limit'],
    ['goodput>=0', 'every value keeps this limit'],
    ['errors<=100%', 'every value keeps this limit'],
  ])('%j', (text, problem) => {
    const read = (): unknown => readThreshold(text, '--threshold');
    expect(read).toThrow(ConfigurationError);
    expect(read).toThrow(problem);
    expect(read).toThrow(`--threshold ${JSON.stringify(text)}: `);
  });
});

test('anything is either read or refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(problemWith(text)).toSatisfy(
        (problem) => problem === undefined || problem instanceof ConfigurationError,
      );
    }),
  );
});

function problemWith(text: string): unknown {
  try {
    readThreshold(text, '--threshold');
    return undefined;
  } catch (error) {
    return error;
  }
}
