import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  changeText,
  countsText,
  endsText,
  figure,
  measuredText,
  measureText,
  percentText,
  ratesText,
  rateText,
  timesByAnswer,
  timeText,
} from './load.ts';
import { measurement } from './sample-measurements.test-data.ts';

/** Which times are told apart, and of how many, if answers have these statuses by their share. */
function kindsOf(shares: Readonly<Record<string, number>>) {
  const sample = measurement({ durationSeconds: 5, rateAt: () => 400, shares: () => shares });
  return timesByAnswer(sample).map(([kind, { count }]) => [kind, count]);
}

describe('figures in words', () => {
  test.each([
    [null, '–'],
    [0, '0 ms'],
    [0.0421, '0.042 ms'],
    [45.718, '45.7 ms'],
    [9999, '9999 ms'],
    [12_345, '12.3 s'],
  ])('a time of %s is %s', (milliseconds, text) => {
    expect(timeText(milliseconds)).toBe(text);
  });

  test.each([
    [null, '–'],
    [500, '500/s'],
    [499.83, '499.8/s'],
    [7130.4, '7130/s'],
  ])('a rate of %s is %s', (rate, text) => {
    expect(rateText(rate)).toBe(text);
  });

  test('a figure is never further off than half a percent', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e9, noNaN: true }), (value) => {
        expect(Math.abs(Number(figure(value)) - value)).toBeLessThanOrEqual(value * 0.0051);
      }),
    );
    expect(figure(100)).toBe('100');
    expect(percentText(1)).toBe('100 %');
    expect(percentText(0.0025)).toBe('0.25 %');
  });

  test.each([
    ['p99 < 100 ms', 100.04, '100.04 ms'],
    ['goodput > 5000/s', 7130, '7130/s'],
    ['errors < 0.1 %', 0.0999, '0.0999 %'],
    ['recovery < 5 s', 4.5, '4.5 s'],
    ['lost = 0', 0, '0'],
    ['p99 < 100 ms', null, ''],
  ])('what %s met with keeps the digits that decide', (expression, value, text) => {
    expect(measuredText({ expression, value, outcome: 'pass' })).toBe(text);
  });

  test('losses and counts name their causes', () => {
    expect(countsText({ 200: 7, 429: 0, 503: 1 })).toBe('7 × 200, 1 × 503');
    const lost = { timeout: 2, ECONNRESET: 1, UND_ERR_SOCKET: 1 };
    expect(
      endsText({
        sent: 4,
        statuses: {},
        lost,
        unsent: 5,
        unsentBy: { EMFILE: 4, ECONNREFUSED: 1 },
        repeated: 3,
      }),
    ).toBe(
      '4 sent: no answers; 4 lost (2 × timeout, 1 × connection reset, 1 × connection closed without a whole answer), 5 not sent (4 × EMFILE, 1 × connection refused), 3 sent again after a connection in use had ended',
    );
  });

  test('rates are said of each way in which requests end, if there were any', () => {
    const sample = measurement({ durationSeconds: 5, rateAt: () => 40 });
    expect(ratesText(sample)).toBe('40/s due, 40/s sent, 40/s answered 2xx');
    expect(endsText(sample)).toBe('200 sent: 200 × 200; 0 lost');
    const rate = { rate: 12, responseTime: sample.responseTime };
    const worse = {
      ...sample,
      model: 'closed' as const,
      goodput: 26,
      answers: { success: { ...rate, rate: 26 }, other: rate },
      lost: { timeout: 9 },
      unsent: 1,
    };
    expect(ratesText(worse)).toBe(
      '40/s sent in a closed loop, 26/s answered 2xx, 12/s answered otherwise, 1.8/s lost, 0.2/s not sent',
    );
  });

  test('times are told apart if one in a hundred ended otherwise', () => {
    expect(kindsOf({})).toEqual([]);
    expect(kindsOf({ 503: 0.005 })).toEqual([]);
    expect(kindsOf({ 503: 0.25 })).toEqual([
      ['answered 2xx', 1500],
      ['answered otherwise', 500],
    ]);
    expect(kindsOf({ 401: 1 })).toEqual([]);
  });

  test('a change has its sign and its bounds', () => {
    const row = {
      scenario: 'latency',
      measure: 'p99',
      unit: 'ms',
      before: 10,
      after: 11,
      judgement: 'same',
    } as const;
    expect(changeText({ ...row, change: 0.1, lower: -0.0001, upper: 0.25 })).toBe(
      '+10.0 % (0.0 % to +25.0 %)',
    );
    expect(measureText(10.25, 'ms')).toBe('10.3 ms');
    expect(measureText(1300, '/s')).toBe('1300/s');
    expect(measureText(3, '')).toBe('3');
  });
});
