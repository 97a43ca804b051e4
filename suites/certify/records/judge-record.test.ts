import { expect, test } from 'vitest';

import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { judgeRecords } from '../certify.ts';
import { judgeRecord } from './judge-record.ts';
import {
  CLIENT_KEY,
  ENDED,
  failedWith,
  limited,
  reported,
  sampleRecord,
  UNKNOWN,
  type RecordSample,
} from './record.test-data.ts';

function judged(sample: RecordSample) {
  const judgements = collectJudgements();
  judgeRecord(sampleRecord(sample), judgements, { responses: 1, accusations: [] });
  return judgements;
}

test('says of a record what its scenario is judged by, and nothing else', () => {
  const judgements = judged({ judges: ['client-operation', 'client-retries-limited'] });
  expect(judgements.judgementOf('client-operation').outcome).toBe('pass');
  expect(judgements.judgementOf('client-sends-bearer').outcome).toBe('skipped');
  expect(judgements.observations()).toEqual({});
});

test('keeps the exchange as evidence, without the key', () => {
  const judgements = judged({ judges: ['client-waits'], exchanges: [limited(0, 2), { at: 0.5 }] });
  const { outcome, findings } = judgements.judgementOf('client-waits');
  expect(outcome).toBe('fail');
  expect(findings).toHaveLength(1);
  expect(findings[0]?.message).toMatch(/^A sample: .* 1\.50 s too early\. .*\.$/);
  expect(findings[0]?.exchange?.request.method).toBe('GET');
  expect(JSON.stringify(findings)).not.toContain(CLIENT_KEY);
});

test.each<[string, RecordSample]>([
  ['sent; GET /v1/inventory was expected', {}],
  ['(RFC 9112, section 5), which may have no part in it.', { traits: ['no-space-after-colon'] }],
  [
    'the content ends with its connection. The HTTP library of the client may be the cause.',
    { traits: ['ends-with-connection'], judges: ['client-operation', 'client-reads-rare-http'] },
  ],
])('names the form of the answers behind a failure: %s', (text, sample) => {
  const messageOf = (...exchanges: NonNullable<RecordSample['exchanges']>) =>
    judged({ exchanges, ...sample }).judgementOf('client-operation').findings[0]?.message;
  const later = messageOf(limited(0, 1), { at: 2, target: '/v1/x' });
  expect(later).toContain(text);
  expect(later?.includes(' Here ')).toBe('traits' in sample);
  expect(messageOf({ target: '/v1/x' })).not.toContain(' Here ');
});

test('a form that a scenario is not about is no cause of what is seen without it, too', () => {
  const judgements = collectJudgements();
  const messages = [{}, { traits: ['no-space-after-colon'] as const }].map((sample) => {
    const record = sampleRecord({ ...sample, exchanges: [limited(0, 1), { at: 2, target: '/v1/x' }] });
    judgeRecord(record, judgements, { responses: 1, accusations: [] });
    return judgements.judgementOf('client-operation').findings.at(-1)?.message;
  });
  expect(messages.map((message) => message?.includes(' Here '))).toEqual([false, false]);
});

test('gives the reason why a record shows nothing of a requirement', () => {
  const { outcome, reason } = judged({ outcome: UNKNOWN }).judgementOf('client-completes');
  expect(outcome).toBe('skipped');
  expect(reason).toBe('Nothing says how the client ended.');
});

// A client that gives up after 5 s, and tries again; certify reads both requests at once, and answers them.
const twice = [
  { at: 8, isLost: true },
  { at: 8.001, connection: 2 },
] as const;

test.each<[string, RecordSample]>([
  ['reports that no answer came', { exchanges: [{ at: 8, isLost: true }], outcome: failedWith(null) }],
  ['asks again', { exchanges: twice }],
  ['asks again, once both are answered', { exchanges: [{ at: 8 }, { at: 8.1, connection: 2 }] }],
  ['asks again after a refusal', { exchanges: [limited(8, 2), { at: 8.1, connection: 2 }] }],
  ['crashes', { outcome: { kind: 'broken', problem: 'It died.', output: '' } }],
])('of a client that %s nothing is proven while certify itself was late', (_what, sample) => {
  const outcomes = (lateSeconds: number) => {
    const judgements = judged({ ...sample, lateSeconds });
    return CLIENT_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id).outcome);
  };
  expect(outcomes(0.1)).toContain('fail');
  expect(outcomes(8)).not.toContain('fail');
  expect(outcomes(8)).toContain('inconclusive');
});

test('what a client sends is judged however late certify was', () => {
  const judgements = judged({ exchanges: [{ authorization: [] }], lateSeconds: 8 });
  expect(judgements.judgementOf('client-sends-bearer').outcome).toBe('fail');
});

const ANY_JSON = 'client-reads-any-json';
const refusal = limited(0, 1, { body: null });

test.each<[string, RecordSample, string]>([
  ['gives up and reports the status', { exchanges: [refusal], outcome: failedWith(429, null, null) }, 'pass'],
  ['waits and reports the result', { exchanges: [refusal, { at: 1.1 }], outcome: reported([]) }, 'pass'],
  ['crashes', { exchanges: [refusal], outcome: { kind: 'broken', problem: 'It died.', output: '' } }, 'fail'],
  ['hangs', { exchanges: [refusal], outcome: ENDED, endedFor: 'silence' }, 'fail'],
  ['reports another status', { exchanges: [refusal], outcome: failedWith(500) }, 'fail'],
  ['comes back at once', { exchanges: [refusal, { at: 0.1 }], outcome: reported([]) }, 'fail'],
  ['is not heard', { exchanges: [refusal], outcome: UNKNOWN, seconds: 0.5 }, 'skipped'],
])('a 429 with JSON that is no object costs one should if the client %s', (_name, sample, outcome) => {
  const judgements = judged({ ...sample, judges: [ANY_JSON] });
  expect(judgements.judgementOf(ANY_JSON).outcome).toBe(outcome);
  expect(judgements.judgementOf('client-completes').outcome).toBe('skipped');
});

test.each([
  { at: 0.1, outcome: 'pass' },
  { at: 1.1, outcome: 'fail' },
])(
  'what a client does wrong costs no should if it does so elsewhere, too: after $at s',
  ({ at, outcome }) => {
    const common = { outcome: reported([]) };
    const early = sampleRecord({ ...common, exchanges: [refusal, { at: 0.1 }], judges: [ANY_JSON] });
    const other = sampleRecord({ ...common, exchanges: [limited(0, 1), { at }], judges: ['client-waits'] });
    const server = { responses: 2, accusations: [] };
    const { records, judgements } = judgeRecords([
      { ...early, server },
      { ...other, server },
    ]);
    expect(judgements.find(({ id }) => id === ANY_JSON)?.outcome).toBe(outcome);
    expect(records.map(({ scenario }) => scenario)).toEqual([early.scenario, other.scenario]);
  },
);

const closed = (requests: number): RecordSample => ({
  exchanges: Array.from({ length: requests }, (_, at) => ({ at, isLost: true })),
  traits: ['answers-nothing'],
  judges: ['client-completes', 'client-reports-no-answer'],
});
const hangs = { outcome: ENDED, endedFor: 'silence' } as const;

test.each<[string, RecordSample, string, string]>([
  ['reports an error', { ...closed(1), outcome: failedWith(null) }, 'skipped', 'pass'],
  [
    'crashes',
    { ...closed(1), outcome: { kind: 'broken', problem: 'It died.', output: '' } },
    'skipped',
    'fail',
  ],
  ['hangs', { ...closed(1), ...hangs }, 'fail', 'skipped'],
  ['waits longer and longer', { ...closed(3), ...hangs }, 'skipped', 'fail'],
])('a client that gets no answer and %s', (_what, sample, completes, reports) => {
  const judgements = judged(sample);
  expect(judgements.judgementOf('client-completes').outcome).toBe(completes);
  expect(judgements.judgementOf('client-reports-no-answer').outcome).toBe(reports);
});
