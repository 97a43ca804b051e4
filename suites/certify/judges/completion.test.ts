import { expect, test } from 'vitest';

import {
  ENDED,
  failedWith,
  judgeSample,
  limited,
  sampleRecord,
  UNKNOWN,
} from '../records/record.test-data.ts';
import { completion, isStuck } from './completion.ts';

const ID = 'client-completes';

test('passes a result and an error', () => {
  expect(judgeSample(completion, {}).judged).toEqual({ [ID]: 'pass' });
  expect(judgeSample(completion, { outcome: failedWith(null, null, null) }).judged).toEqual({ [ID]: 'pass' });
});

test('fails what the driver calls broken, in its words', () => {
  const outcome = { kind: 'broken', problem: 'It ended with exit code 1.', output: '' } as const;
  const said = judgeSample(completion, { outcome });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual(['It ended with exit code 1.']);
});

test('fails a client that hangs, and says since when', () => {
  const hung = { outcome: ENDED, endedFor: 'silence', seconds: 20 } as const;
  const said = judgeSample(completion, { ...hung, exchanges: [{ at: 0, answeredAt: 0.5 }] });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('19.50 s after the answer 200 of 0.50 s')]);
  expect(judgeSample(completion, { ...hung, exchanges: [] }).judged).toEqual({ [ID]: 'fail' });
  expect(judgeSample(completion, { ...hung, exchanges: [limited(0, 1)] }).judged).toEqual({ [ID]: 'fail' });
});

test('fails a client that replies and does not exit, and says that', () => {
  const outcome = { ...ENDED, replied: true } as const;
  const said = judgeSample(completion, { outcome, endedFor: 'silence', seconds: 20 });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining('printed its reply and did not exit')]);
  expect(judgeSample(completion, { outcome, endedFor: 'let go' }).judged).toEqual({ [ID]: 'skip' });
});

test('knows that further scenarios would go as those that no client replied in, or exited in none', () => {
  const { traffic } = sampleRecord({});
  const mute = { outcome: { ...ENDED, mute: true }, endedFor: 'silence', traffic } as const;
  const lingering = { outcome: { ...ENDED, replied: true }, endedFor: 'silence', traffic } as const;
  const letGo = { ...lingering, endedFor: 'let go' } as const;
  const hung = { outcome: ENDED, endedFor: 'silence', traffic } as const;
  const waiting = { outcome: ENDED, endedFor: 'let go', traffic } as const;
  const idle = { ...hung, traffic: sampleRecord({ exchanges: [] }).traffic };
  expect(
    [
      [mute, mute],
      [lingering, letGo, waiting],
      [idle, idle],
    ].map((records) => isStuck(records)),
  ).toEqual([true, true, true]);
  const others = [[letGo], [mute, hung], [lingering, hung], [idle, hung], [{ ...idle, endedFor: null }]];
  expect(others.map((records) => isStuck(records))).toEqual(others.map(() => false));
});

test('does not take a wait that has grown long for hanging', () => {
  const exchanges = [limited(0, 1), limited(2, 1), limited(6, 1)];
  const said = judgeSample(completion, { exchanges, outcome: ENDED, endedFor: 'silence', seconds: 20 });
  expect(said.judged).toEqual({ [ID]: 'skip' });
});

test('says nothing of whoever was let go while it waited', () => {
  const said = judgeSample(completion, {
    exchanges: [limited(0, 66)],
    outcome: ENDED,
    endedFor: 'let go',
    seconds: 8,
  });
  expect(said.judged).toEqual({ [ID]: 'skip' });
});

test('leaves whoever goes on for ever but waits to the judge of attempts', () => {
  const patient = [limited(0, 1), limited(1, 1), limited(2, 1)];
  const ended = { outcome: ENDED, endedFor: 'unending retries' } as const;
  expect(judgeSample(completion, { ...ended, exchanges: patient }).judged).toEqual({});
  const earlyRequests = [limited(0, 1), limited(0.1, 1), limited(0.2, 1)];
  expect(judgeSample(completion, { ...ended, exchanges: earlyRequests }).judged).toEqual({ [ID]: 'fail' });
  const refused = [{ status: 404 }, { at: 0.1, status: 404 }];
  expect(judgeSample(completion, { ...ended, exchanges: refused }).judged).toEqual({ [ID]: 'fail' });
});

test('decides nothing if the run was interrupted, or if nobody tells', () => {
  expect(judgeSample(completion, { outcome: ENDED, endedFor: 'interruption' }).judged).toEqual({
    [ID]: 'inconclusive',
  });
  expect(judgeSample(completion, { outcome: UNKNOWN, endedFor: 'silence' }).judged).toEqual({ [ID]: 'skip' });
});
