import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  ENDED,
  type ExpectedOutcome,
  failedWith,
  judgeSample,
  limited,
  type RecordedSample,
  type RecordSample,
  UNKNOWN,
} from '../records/record.test-data.ts';
import { attempts, backoff, banConduct, waits } from './limits.ts';

const judgeWaits = (...exchanges: readonly RecordedSample[]) => judgeSample(waits, { exchanges });

describe('waits', () => {
  const letGo = { outcome: ENDED, endedFor: 'let go', seconds: 8 } as const;
  const cut = { exchanges: [limited(0, 35)], outcome: ENDED, endedFor: 'interruption', seconds: 5 } as const;
  const answeredLate = limited(0, 2, { answeredAt: 0.1 });
  const ban = { status: 403, retryAfter: 2 };

  test.each<[string, ExpectedOutcome, RecordSample]>([
    ['a client that returns in time', 'pass', { exchanges: [limited(0, 2), { at: 2 }] }],
    ['however late', 'pass', { exchanges: [limited(0, 2), { at: 500 }] }],
    ['one that gives up', 'pass', { exchanges: [limited(0, 35)], outcome: failedWith(429), seconds: 0.1 }],
    ['one that stays away while it is watched', 'pass', { ...letGo, exchanges: [limited(0, 66)] }],
    ['nobody who does not', 'fail', { ...letGo, exchanges: [limited(0, 66), { at: 0.5 }] }],
    ['from the answer', 'fail', { exchanges: [limited(0, 1, { answeredAt: 3 }), { at: 3.5 }] }],
    ['before a date', 'fail', { exchanges: [{ status: 429, retryAt: 3 }, { at: 2.9 }] }],
    ['at a date', 'pass', { exchanges: [{ status: 429, retryAt: 3 }, { at: 3 }] }],
    ['what was under way', 'pass', { exchanges: [answeredLate, { at: 0.05, answeredAt: 0.2 }, { at: 2.5 }] }],
    ['whatever comes while it runs', 'fail', { exchanges: [answeredLate, { at: 2.5 }, { at: 0.15 }] }],
    ['in a ban with another status', 'fail', { exchanges: [ban, { at: 1 }] }],
    ['after such a ban', 'pass', { exchanges: [ban, { at: 2.1 }] }],
    ['that nothing asked for', null, {}],
    ['that the client was not told', null, { exchanges: [limited(0, 2, { isLost: true }), { at: 1 }] }],
    [
      'that cannot be read',
      null,
      { exchanges: [{ status: 429, headers: [['Retry-After', 'in a moment']] }, { at: 0.1 }] },
    ],
    ['that was interrupted', null, cut],
    ['of which nobody tells', null, { ...cut, outcome: UNKNOWN, endedFor: null }],
    ['that was seen to its end', 'pass', { ...cut, outcome: UNKNOWN, endedFor: null, seconds: 40 }],
  ])('are judged: %s: %s', (_what, outcome, sample) => {
    expect(judgeSample(waits, sample)).toMatchObject({ outcome, observed: [] });
  });

  test('that no timer of 31 bits holds are told from others', () => {
    const changes = [86_400, 2_500_000].map((asked) => judgeWaits(limited(0, asked), { at: 0.1 }).change);
    expect(changes.map((change) => change?.includes('31 bits'))).toEqual([false, true]);
  });

  test('may be less than 20 ms short, which is told', () => {
    expect(judgeWaits(limited(0, 2), { at: 1.985 })).toMatchObject({
      outcome: 'pass',
      observed: [['client-retries-limited.arrival', 'under 20 ms early']],
    });
  });

  test('are judged on the early side only, at any time and of any length', () => {
    const milliseconds = fc.integer({ min: 0, max: 100_000 });
    fc.assert(
      fc.property(milliseconds, fc.integer({ min: 0, max: 60 }), milliseconds, (answered, asked, waited) => {
        // Within a millisecond of the tolerance the doubles of Unix time decide.
        fc.pre(Math.abs(asked * 1_000 - waited - 20) > 1);
        const at = answered / 1_000;
        const isEarly = asked * 1_000 - waited >= 20;
        const { outcome } = judgeWaits(limited(at, asked), { at: at + waited / 1_000 });
        expect(outcome).toBe(isEarly ? 'fail' : 'pass');
      }),
    );
  });

  test('are told by how much of them had passed, and a request counts once', () => {
    expect(judgeWaits(limited(0.25, 2, { answeredAt: 0.5 }), { at: 1.75 }, { at: 2 }).message).toBe(
      'The client came back after 1.25 s of 2.00 s: the answer 429 of 0.50 s said Retry-After: 2, and the next request came at 1.75 s, 0.75 s too early. 2 requests in this scenario came too early.',
    );
    const { message } = judgeWaits(limited(0, 5), limited(1, 5), { at: 2 });
    expect(message).toContain('4.00 s too early. 2 requests in this scenario');
  });

  const DO = 'Send nothing before Retry-After has passed, or give up and report the 429.';
  const minuteEnds = { headers: [['X-RateLimit-Reset', '1790000001']] } as const;

  test.each([
    [[limited(0, 2), { at: 0.01 }], ''],
    [
      [{ status: 429, retryAt: 3 }, { at: 2.5 }],
      ' The date is in GMT; the client runs in the time zone Asia/Tokyo.',
    ],
    [
      [limited(0, 6, { retryAfterName: 'retry-after' }), { at: 1 }],
      ' The name of the header is written retry-after here.',
    ],
    [
      [limited(0, 66, minuteEnds), { at: 2 }],
      ' X-RateLimit-Remaining and X-RateLimit-Reset describe the minute here, and the day is used up.',
    ],
    [[limited(0, 1, minuteEnds), { at: 0.5 }], ''],
    [[limited(0, 1), limited(1, 1), { at: 1.1 }], ' It was answer 2 of 2 that asked for a wait.'],
  ] as const)('of %j are told with what to do and what was special: %s', (exchanges, special) => {
    expect(judgeWaits(...exchanges).change).toBe(`${DO}${special}`);
  });
});

const judgeBan = (...exchanges: readonly RecordedSample[]) => judgeSample(banConduct, { exchanges }).outcome;

describe('a ban', () => {
  test('is avoided by a client that met a 429 and was not banned', () => {
    expect(judgeBan(limited(0, 1), { at: 1 })).toBe('pass');
    expect(judgeBan({})).toBeNull();
    expect(judgeBan({ status: 403, retryAfter: 2 })).toBeNull();
  });

  test('fails a client that went on until then, and counts what was sent too early', () => {
    const exchanges = Array.from({ length: 12 }, (_, index) => limited(index / 10, 5));
    const said = judgeSample(banConduct, { exchanges, droveIntoBan: true });
    expect(said).toMatchObject({
      outcome: 'fail',
      message: 'After 429s the client sent 11 requests too early, and the key was banned.',
      evidence: { connection: 1 },
    });
  });
});

const judgeBackoff = (moments: readonly number[], sample: RecordSample = {}) =>
  judgeSample(backoff, { ...sample, exchanges: moments.map((at) => limited(at, 1)) });

describe('a backoff', () => {
  test('that grows passes, and its factor is shown', () => {
    expect(judgeBackoff([0, 1, 3, 7, 15])).toMatchObject({
      outcome: 'pass',
      observed: [
        ['client-retries-limited.waits', 'growing'],
        ['client-retries-limited.backoff-factor', 2],
      ],
    });
  });

  test('that stays the same fails, and is shown', () => {
    expect(judgeBackoff([0, 1.06, 2.07, 3.09, 4.12])).toMatchObject({
      outcome: 'fail',
      message:
        '4 consecutive waits show no growth: 1.06 s, 1.01 s, 1.02 s, 1.03 s. The last was 0.02 s longer than the shortest.',
    });
  });

  test.each<[string, ExpectedOutcome, number[]]>([
    ['that varies as full jitter makes it', 'pass', [0, 1.9, 3, 4.6, 5.8]],
    ['of a client that comes too early is no jitter', 'skip', [0, 0.2, 0.21, 0.35, 0.37]],
    ['of two waits', 'skip', [0, 1, 2]],
    ['of three waits that are alike', 'skip', [0, 1.01, 2.02, 3.03]],
    ['that shows beyond Retry-After', 'pass', [0, 1.03, 2.08, 3.2, 4.4]],
    ['of a few waits that a busy machine made alike', 'skip', [0, 1.8, 3.6, 5.4]],
    ['of many waits that no machine makes alike', 'fail', [0, 1.8, 3.6, 5.4, 7.2, 9]],
  ])('%s: %s', (_what, outcome, moments) => {
    expect(judgeBackoff(moments).outcome).toBe(outcome);
  });

  test('is not judged without a 429, or if the scenario is about something else', () => {
    expect(judgeBackoff([0, 1, 2, 3, 4], { judges: [] })).toMatchObject({ outcome: null, observed: [] });
    expect(judgeSample(backoff, {}).outcome).toBeNull();
  });
});

const limitedTimes = (count: number) => Array.from({ length: count }, (_, index) => limited(index, 1));

describe('attempts', () => {
  test.each([1, 4, 30])('that end after %i pass', (count) => {
    expect(judgeSample(attempts, { exchanges: limitedTimes(count), outcome: failedWith(429) })).toMatchObject(
      { outcome: 'pass', observed: [['client-retries-limited.attempts', count]] },
    );
  });

  test('that go on after many fail', () => {
    const unending = { outcome: ENDED, endedFor: 'unending retries', seconds: 12 } as const;
    expect(judgeSample(attempts, { ...unending, exchanges: limitedTimes(12) })).toMatchObject({
      outcome: 'fail',
      message: 'After 12 attempts in 12.00 s the client was still trying.',
    });
  });

  test.each<[string, ExpectedOutcome, RecordSample]>([
    ['that are few', 'inconclusive', { outcome: ENDED, endedFor: 'unending retries' }],
    ['that end in silence', 'skip', { outcome: ENDED, endedFor: 'silence' }],
    ['of which nobody tells', 'skip', { outcome: UNKNOWN, endedFor: 'silence' }],
    ['in another scenario', null, { judges: [], outcome: failedWith(429) }],
    ['of which none was refused', null, { exchanges: [{}] }],
    ['that ended well', null, { exchanges: [limited(0, 1), { at: 1 }] }],
  ])('%s decide nothing: %s', (_what, outcome, sample) => {
    expect(judgeSample(attempts, { exchanges: limitedTimes(5), ...sample })).toMatchObject({
      outcome,
      observed: [],
    });
  });
});
