import { expect, test } from 'vitest';

import {
  ENDED,
  type ExpectedOutcome,
  failedWith,
  judgeSample,
  limited,
  type RecordSample,
  sampleRecord,
  UNKNOWN,
} from '../records/record.test-data.ts';
import { completion, isStuck } from './completion.ts';

const broken = { kind: 'broken', problem: 'It ended with exit code 1.', output: '' } as const;
const hung = { outcome: ENDED, endedFor: 'silence', seconds: 20 } as const;
const unending = { outcome: ENDED, endedFor: 'unending retries' } as const;
const lingering = { outcome: { ...ENDED, replied: true }, endedFor: 'silence', seconds: 20 } as const;

test.each<[string, RecordSample, string]>([
  ['what the driver calls broken, in its words', { outcome: broken }, 'It ended with exit code 1.'],
  [
    'a client that hangs, and since when',
    { ...hung, exchanges: [{ at: 0, answeredAt: 0.5 }] },
    '19.50 s after the answer 200 of 0.50 s',
  ],
  ['one that sent nothing', { ...hung, exchanges: [] }, 'no request of it was answered'],
  ['one that was refused', { ...hung, exchanges: [limited(0, 1)] }, 'after the answer 429'],
  ['one that replies and does not exit', lingering, 'printed its reply and did not exit'],
])('fails %s', (_what, sample, message) => {
  expect(judgeSample(completion, sample)).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining(message),
  });
});

test.each<[string, ExpectedOutcome, RecordSample]>([
  ['a result', 'pass', {}],
  ['an error', 'pass', { outcome: failedWith(null, null, null) }],
  ['a client that is let go after its reply', 'skip', { ...lingering, endedFor: 'let go' }],
  [
    'one that is let go while it waits',
    'skip',
    { outcome: ENDED, endedFor: 'let go', exchanges: [limited(0, 66)] },
  ],
  [
    'a wait that has grown long',
    'skip',
    { ...hung, exchanges: [limited(0, 1), limited(2, 1), limited(6, 1)] },
  ],
  // Left to the judge of attempts.
  [
    'one that goes on for ever but waits',
    null,
    { ...unending, exchanges: [limited(0, 1), limited(1, 1), limited(2, 1)] },
  ],
  [
    'one that goes on and does not wait',
    'fail',
    { ...unending, exchanges: [limited(0, 1), limited(0.1, 1), limited(0.2, 1)] },
  ],
  [
    'one that goes on after a refusal',
    'fail',
    { ...unending, exchanges: [{ status: 404 }, { at: 0.1, status: 404 }] },
  ],
  ['a run that was interrupted', 'inconclusive', { outcome: ENDED, endedFor: 'interruption' }],
  ['one of which nobody tells', 'skip', { outcome: UNKNOWN, endedFor: 'silence' }],
])('of %s says %s', (_what, outcome, sample) => {
  expect(judgeSample(completion, sample).outcome).toBe(outcome);
});

test('says what to print by the driver', () => {
  expect(judgeSample(completion, { outcome: broken })).toHaveProperty(
    'change',
    expect.stringContaining('exit with 0'),
  );
  expect(judgeSample(completion, { outcome: { ...broken, ofMany: true } })).toHaveProperty(
    'change',
    expect.stringMatching(/^Write \{"id":.*on one line of stdout for each request/),
  );
});

test('shows the line that was meant as a reply', () => {
  const outcome = { kind: 'ended', output: 'log\n {"ok":tr\nue}\n' } as const;
  expect(judgeSample(completion, { outcome, endedFor: 'silence' }).message).toContain(
    String.raw`no reply that is JSON on one line, but "{\"ok\":tr"`,
  );
});

test('knows that further scenarios would go as those that no client replied in, or exited in none', () => {
  const { traffic } = sampleRecord({});
  const mute = { outcome: { ...ENDED, mute: true }, endedFor: 'silence', traffic } as const;
  const garbled = { outcome: { ...broken, ofMany: true }, endedFor: 'silence', traffic } as const;
  const lingering = { outcome: { ...ENDED, replied: true }, endedFor: 'silence', traffic } as const;
  const letGo = { ...lingering, endedFor: 'let go' } as const;
  const hung = { outcome: ENDED, endedFor: 'silence', traffic } as const;
  const waiting = { outcome: ENDED, endedFor: 'let go', traffic } as const;
  const idle = { ...hung, traffic: sampleRecord({ exchanges: [] }).traffic };
  expect(
    [
      [mute, mute],
      [mute, garbled],
      [lingering, letGo, waiting],
      [idle, idle],
    ].map((records) => isStuck(records)),
  ).toEqual([true, true, true, true]);
  const others = [[letGo], [mute, hung], [lingering, hung], [idle, hung], [{ ...idle, endedFor: null }]];
  expect(others.map((records) => isStuck(records))).toEqual(others.map(() => false));
});
