import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import {
  ENDED,
  failedWith,
  judgeSample,
  limited,
  UNKNOWN,
  type RecordedSample,
} from '../records/record.test-data.ts';
import { waits } from './waits.ts';

const ID = 'client-waits';

const judge = (...exchanges: readonly RecordedSample[]) => judgeSample(waits, { exchanges });

test('passes a client that returns later, however late, and one that gives up', () => {
  expect(judge(limited(0, 2), { at: 2 })).toMatchObject({ judged: { [ID]: 'pass' }, observed: [] });
  expect(judge(limited(0, 2), { at: 500 }).judged).toEqual({ [ID]: 'pass' });
  const givesUp = { exchanges: [limited(0, 35)], outcome: failedWith(429), seconds: 0.1 };
  expect(judgeSample(waits, givesUp).judged).toEqual({ [ID]: 'pass' });
});

test('passes whoever stays away for as long as it is watched, and nobody who does not', () => {
  const watched = { outcome: ENDED, endedFor: 'let go', seconds: 8 } as const;
  expect(judgeSample(waits, { ...watched, exchanges: [limited(0, 66)] }).judged).toEqual({ [ID]: 'pass' });
  const early = [limited(0, 66), { at: 0.5 }];
  expect(judgeSample(waits, { ...watched, exchanges: early }).judged).toEqual({ [ID]: 'fail' });
});

test('lets less than 20 ms pass, and says so', () => {
  expect(judge(limited(0, 2), { at: 1.985 })).toMatchObject({
    judged: { [ID]: 'pass' },
    observed: [['client-retries-limited.arrival', 'under 20 ms early']],
  });
});

test('judges the early side only, at any time and for any wait', () => {
  const milliseconds = fc.integer({ min: 0, max: 100_000 });
  fc.assert(
    fc.property(milliseconds, fc.integer({ min: 0, max: 60 }), milliseconds, (answered, asked, waited) => {
      // Within a millisecond of the tolerance the doubles of Unix time decide.
      fc.pre(Math.abs(asked * 1_000 - waited - 20) > 1);
      const at = answered / 1_000;
      const isEarly = asked * 1_000 - waited >= 20;
      expect(judge(limited(at, asked), { at: at + waited / 1_000 }).judged).toEqual({
        [ID]: isEarly ? 'fail' : 'pass',
      });
    }),
  );
});

test('says after how much of the wait the client came', () => {
  const said = judge(limited(0.25, 2, { answeredAt: 0.5 }), { at: 1.75 }, { at: 2 });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([
    'The client came back after 1.25 s of 2.00 s: the answer 429 of 0.50 s said Retry-After: 2, and the next request came at 1.75 s, 0.75 s too early. 2 requests in this scenario came too early.',
  ]);
});

test('counts a request once, however many waits it breaks', () => {
  const [message] = judge(limited(0, 5), limited(1, 5), { at: 2 }).messages;
  expect(message).toContain('4.00 s too early. 2 requests in this scenario');
});

const DO = 'Send nothing before Retry-After has passed, or give up and report the 429.';
const minuteEnds = { headers: [['X-RateLimit-Reset', '1790000001']] } as const;

test.each([
  [limited(0, 2), 0.01, DO],
  [
    { status: 429, retryAt: 3 },
    2.5,
    `${DO} The date is in GMT; the client runs in the time zone Asia/Tokyo.`,
  ],
  [
    limited(0, 6, { retryAfterName: 'retry-after' }),
    1,
    `${DO} The name of the header is written retry-after here.`,
  ],
  [
    limited(0, 66, minuteEnds),
    2,
    `${DO} X-RateLimit-Remaining and X-RateLimit-Reset describe the minute here, and the day is used up.`,
  ],
  [limited(0, 1, minuteEnds), 0.5, DO],
] as const)('tells what to do and what was special if %o is followed after %d s', (first, at, change) => {
  expect(judge(first, { at }).changes).toEqual([change]);
});

test('tells which 429 was not waited for', () => {
  expect(judge(limited(0, 1), limited(1, 1), { at: 1.1 }).changes).toEqual([
    `${DO} It was answer 2 of 2 that asked for a wait.`,
  ]);
});

test('reckons from the answer, and by the date if there is one', () => {
  expect(judge(limited(0, 1, { answeredAt: 3 }), { at: 3.5 }).judged).toEqual({ [ID]: 'fail' });
  expect(judge({ status: 429, retryAt: 3 }, { at: 2.9 }).judged).toEqual({ [ID]: 'fail' });
  expect(judge({ status: 429, retryAt: 3 }, { at: 3 }).judged).toEqual({ [ID]: 'pass' });
});

test('counts whatever comes while a wait runs, but nothing that was under way', () => {
  const first = limited(0, 2, { answeredAt: 0.1 });
  expect(judge(first, { at: 0.05, answeredAt: 0.2 }, { at: 2.5 }).judged).toEqual({ [ID]: 'pass' });
  expect(judge(first, { at: 2.5 }, { at: 0.15 }).judged).toEqual({ [ID]: 'fail' });
});

test('judges the wait that a ban asks for, with another status too', () => {
  const ban = { status: 403, retryAfter: 2 };
  expect(judge(ban, { at: 1 }).judged).toEqual({ [ID]: 'fail' });
  expect(judge(ban, { at: 2.1 }).judged).toEqual({ [ID]: 'pass' });
});

test('has no say if no wait was asked for, or if none was seen', () => {
  expect(judge({}).judged).toEqual({});
  expect(judge({ status: 429, headers: [['Retry-After', 'in a moment']] }, { at: 0.1 }).judged).toEqual({});
  const cut = { exchanges: [limited(0, 35)], outcome: ENDED, endedFor: 'interruption', seconds: 5 } as const;
  expect(judgeSample(waits, cut).judged).toEqual({});
  expect(judgeSample(waits, { ...cut, outcome: UNKNOWN, endedFor: null }).judged).toEqual({});
  expect(judgeSample(waits, { ...cut, outcome: UNKNOWN, endedFor: null, seconds: 40 }).judged).toEqual({
    [ID]: 'pass',
  });
});
