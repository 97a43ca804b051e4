import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { parseHttpDate, parseRetryAfter } from './retry-after.ts';

// RFC 9110, section 5.6.7 gives this moment in all three forms.
const RFC_MOMENT = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;

const anyDate = fc.date({
  min: new Date('0001-01-01T00:00:00Z'),
  max: new Date('9999-12-31T23:59:59Z'),
  noInvalidDate: true,
});

const wholeSeconds = (date: Date) => Math.floor(date.getTime() / 1000);

describe('parseRetryAfter', () => {
  test('reads every number of seconds', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat({ max: 3 }), (seconds, zeros) => {
        expect(parseRetryAfter('0'.repeat(zeros) + seconds)).toEqual({ form: 'delta-seconds', seconds });
      }),
    );
  });

  test('reads every date that toUTCString writes', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        expect(parseRetryAfter(date.toUTCString())).toEqual({
          form: 'http-date',
          unixSeconds: wholeSeconds(date),
        });
      }),
    );
  });

  test.each([
    ['Sun, 06 Nov 1994 08:49:37 GMT', RFC_MOMENT],
    ['Sunday, 06-Nov-94 08:49:37 GMT', RFC_MOMENT],
    ['Sun Nov  6 08:49:37 1994', RFC_MOMENT],
    ['Wed Nov 16 08:49:37 1994', RFC_MOMENT + 10 * 86_400],
    ['Thu, 29 Feb 2024 00:00:00 GMT', Date.UTC(2024, 1, 29) / 1000],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1) / 1000],
  ])('reads the date %s', (value, unixSeconds) => {
    expect(parseRetryAfter(value)).toEqual({ form: 'http-date', unixSeconds });
  });

  test.each([
    '',
    ' ',
    'soon',
    '-1',
    '-0',
    '+5',
    ' 5',
    '5 ',
    '5\n',
    '1.5',
    '1e2',
    '0x10',
    '5s',
    '5, 6',
    '٥',
    'NaN',
    'Infinity',
    '2026-11-21T08:49:37Z',
    '2026-11-21',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'sun, 06 nov 1994 08:49:37 GMT',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 November 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun 06 Nov 1994 08:49:37 GMT',
    'Sun, 00 Nov 1994 08:49:37 GMT',
    'Thu, 31 Nov 1994 08:49:37 GMT',
    'Wed, 29 Feb 2023 08:49:37 GMT',
    'Sun, 06 Nov 1994 24:00:00 GMT',
    'Sun, 06 Nov 1994 08:60:37 GMT',
    'Sun, 06 Nov 1994 08:49:61 GMT',
    'Sun, 31 Feb 2026 25:61:60 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov  6 08:49:37 1994 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
  ])('rejects %j', (value) => {
    expect(parseRetryAfter(value)).toBeUndefined();
  });
});

describe('parseHttpDate', () => {
  const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

  /** `Sun, 06 Nov 1994 08:49:37 GMT` into its parts. */
  const partsOf = (date: Date) => {
    const [, day = '', month = '', year = '', time = ''] = date.toUTCString().split(' ');
    return { weekday: DAYS[date.getUTCDay()] ?? '', day, month, year, time };
  };

  test('reads every date in the form of asctime', () => {
    fc.assert(
      fc.property(anyDate, (date) => {
        const { weekday, day, month, year, time } = partsOf(date);
        const value = `${weekday.slice(0, 3)} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
        expect(parseHttpDate(value)).toBe(wholeSeconds(date));
      }),
    );
  });

  test('reads the two-digit years of RFC 850 that lie near', () => {
    const near = fc.date({
      min: new Date(Date.now() - 40 * 365 * 86_400_000),
      max: new Date(Date.now() + 40 * 365 * 86_400_000),
      noInvalidDate: true,
    });
    const thisCentury = Math.floor(new Date().getUTCFullYear() / 100);
    fc.assert(
      fc.property(near, (date) => {
        // A date in the next century has the digits of a past year too, which the RFC leaves to the reader.
        fc.pre(Math.floor(date.getUTCFullYear() / 100) <= thisCentury);
        const { weekday, day, month, year, time } = partsOf(date);
        const value = `${weekday}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
        expect(parseHttpDate(value)).toBe(wholeSeconds(date));
      }),
    );
  });

  test('takes a two-digit year more than 50 years ahead for a past one', () => {
    const year = new Date().getUTCFullYear();
    const digits = String((year + 51) % 100).padStart(2, '0');
    const parsed = parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`) ?? Number.NaN;
    expect(new Date(parsed * 1000).getUTCFullYear()).toBe(year - 49);
  });

  test('takes no number', () => {
    expect(parseHttpDate('42')).toBeUndefined();
  });
});
