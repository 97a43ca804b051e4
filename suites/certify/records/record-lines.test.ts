import { expect, test } from 'vitest';

import { parseJson, stringifyJson, isJsonObject } from '../../../contract/json/index.ts';
import { judgeRecords } from '../certify.ts';
import { lineOfRecord, recordOfLine } from './record-lines.ts';
import {
  CLIENT_KEY,
  ENDED,
  errorBody,
  failedWith,
  limited,
  reported,
  sampleRecord,
  UNKNOWN,
  update,
  UPDATE_TASK,
  type RecordSample,
} from './record.test-data.ts';

function plainOf(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (_name, member: unknown) => (typeof member === 'bigint' ? `${member}` : member)),
  );
}

const SAMPLES: readonly (readonly [string, RecordSample])[] = [
  ['a list', { outcome: reported([{ petId: 9_007_199_254_740_993n, quantity: 1, status: 'sold' }]) }],
  ['an update', { task: UPDATE_TASK, exchanges: [update()], outcome: failedWith(null, null, null) }],
  ['waits', { exchanges: [limited(0, 2), { at: 1.5 }, { at: 3, answeredAt: null }], droveIntoBan: true }],
  ['an answer that the client did not get', { exchanges: [limited(0, 2, { isLost: true }), { at: 1 }] }],
  ['an end by force', { outcome: ENDED, endedFor: 'silence', exchanges: [] }],
  [
    'an end by force after the reply',
    { outcome: { kind: 'ended', output: '', replied: true }, endedFor: 'silence' },
  ],
  ['a crash', { outcome: { kind: 'broken', problem: `It died of ${CLIENT_KEY}.`, output: 'x' } }],
  ['a garbled reply', { outcome: { kind: 'broken', problem: 'It is no JSON.', output: '', ofMany: true } }],
  ['traffic alone', { outcome: UNKNOWN, traits: ['gzip', 'slow'] }],
  ['what is no HTTP', { exchanges: [], malformed: 'The request is not well-formed HTTP.' }],
  ['a key that is cut', { exchanges: [{ authorization: [`Bearer ${CLIENT_KEY.slice(0, -2)}`] }] }],
  ['a key under another scheme', { exchanges: [{ authorization: [`Basic ${CLIENT_KEY}`] }] }],
  ['a key in the query', { exchanges: [{ target: `/v1/inventory?key=${CLIENT_KEY}` }] }],
  ['bytes that are no text', { exchanges: [{ body: Buffer.from([0, 255, 254]) }] }],
  ['a refusal', { exchanges: [{ status: 401, body: errorBody(401, 'unauthorized', 'Who?') }] }],
  [
    'what followed a redirect',
    { elsewhere: [{ method: 'GET', target: '/', headers: [], body: Buffer.alloc(0) }] },
  ],
];

test.each(SAMPLES)(
  '%s is judged from its line as it was from its record, without the key',
  (_what, sample) => {
    const record = sampleRecord(sample);
    const text = stringifyJson(lineOfRecord(record));
    expect(text).not.toContain(CLIENT_KEY.slice(0, 12));
    const line = parseJson(text);
    const again = recordOfLine(isJsonObject(line) ? line : {});
    const { judgements, observations } = judgeRecords([record]);
    const other = judgeRecords([again]);
    expect(plainOf(other.observations)).toEqual(plainOf(observations));
    expect(other.judgements.map(({ id, outcome, evidence }) => [id, outcome, evidence])).toEqual(
      judgements.map(({ id, outcome, evidence }) => [id, outcome, evidence]),
    );
  },
);

test.each([
  ['exchanges', 1],
  ['outcome', { kind: 'vanished' }],
  ['outcome', { kind: 'replied', reply: { ok: true } }],
  ['baseUrl', 'nowhere'],
  ['endedFor', 'boredom'],
  ['scenario', {}],
  ['elsewhere', [{ method: 'GET', target: '/', headers: [], body: null, '': 1 }]],
  ['more', 1],
])('a line whose %s is %j is refused', (name, value) => {
  const line = { ...lineOfRecord(sampleRecord({})), [name]: value };
  expect(() => recordOfLine(line)).toThrow(SyntaxError);
});
