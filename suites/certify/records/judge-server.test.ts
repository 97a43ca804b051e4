import { expect, test } from 'vitest';

import { stringifyJson } from '../../../contract/json/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { judgeRecords } from '../certify.ts';
import { judgeServer } from './judge-server.ts';
import {
  errorBody,
  limited,
  sampleRecord,
  update,
  UPDATE_TASK,
  type RecordedSample,
} from './record.test-data.ts';

const LIMITS: readonly HeaderField[] = [
  ['Content-Type', 'application/json'],
  ['X-RateLimit-Limit', '1000'],
  ['X-RateLimit-Remaining', '999'],
  ['X-RateLimit-Reset', '1790000060'],
];

const listed = (sample: RecordedSample = {}): RecordedSample => ({ headers: LIMITS, ...sample });
const usedUp = LIMITS.map(([name, value]): HeaderField => [name, name.endsWith('Remaining') ? '0' : value]);

function accused(exchanges: readonly RecordedSample[]): readonly string[] {
  return judgeServer(sampleRecord({ exchanges })).accusations.map(({ requirement }) => requirement);
}

test('a server that keeps the specification is not accused, and its responses are counted', () => {
  const record = sampleRecord({
    exchanges: [limited(0, 2, { headers: usedUp }), listed({ at: 2.1 }), listed({ at: 3, answeredAt: null })],
  });
  expect(judgeServer(record)).toEqual({ responses: 2, accusations: [] });
});

test('what waits behind another base address is not the service, and is not judged', () => {
  expect(judgeServer(sampleRecord({ exchanges: [{ target: '/other' }] }))).toEqual({
    responses: 0,
    accusations: [],
  });
  expect(judgeServer(sampleRecord({ exchanges: [] })).responses).toBe(0);
});

test.each<[string, readonly string[], readonly RecordedSample[]]>([
  ['no headers', ['header-limit', 'header-remaining', 'header-reset', 'content-type-json'], [{}]],
  ['a pet that is not in the store', ['list-complete'], [listed({ body: [pet(9n, 3)] })]],
  ['a limit of another plan', ['limit-of-plan'], [listed({ headers: replaced('Limit', '60', '59') })]],
  ['a 429 without Retry-After', ['retry-after-present'], [listed({ status: 429, headers: usedUp })]],
  [
    'a refusal of a good key',
    ['valid-key-accepted'],
    [listed(), listed({ at: 1, status: 401, body: errorBody(401, 'unauthorized', 'Who?') })],
  ],
])('%s: %j', (_what, ids, exchanges) => {
  expect(accused(exchanges)).toEqual(expect.arrayContaining([...ids]));
});

test('a key under another name is answered 401, and a server that takes it is accused', () => {
  const bare = { authorization: ['Basic client-Key-0123456789'] };
  const refused = { status: 401, body: errorBody(401, 'unauthorized', 'Who?') };
  expect(accused([listed({ ...bare, ...refused })])).toEqual([]);
  expect(accused([listed(bare)])).toEqual(['bearer-scheme']);
});

test('of a client whose server is accused nothing is said, and of its other scenarios all', () => {
  const record = sampleRecord({ exchanges: [{ method: 'POST' }, {}], judges: ['client-operation'] });
  const { records, judgements } = judgeRecords([record]);
  expect(records[0]?.judgement).toEqual({ outcome: 'inconclusive', failures: [], failed: [] });
  const row = judgements.find(({ id }) => id === 'client-operation');
  expect(row).toMatchObject({ outcome: 'inconclusive' });
  expect(row?.reason).toContain('The server of stockcheck did not keep the specification here');
});

test('what the scenario breaks on purpose is no accusation', () => {
  const record = sampleRecord({
    task: UPDATE_TASK,
    exchanges: [update({ headers: LIMITS, status: 404, body: errorBody(404, 'gone', 'No such pet.') })],
  });
  expect(judgeServer(record).accusations).toEqual([]);
  const listing = sampleRecord({ exchanges: [listed({ status: 307, body: Buffer.alloc(0) })] });
  expect(judgeServer(listing).accusations.map(({ requirement }) => requirement)).toEqual(['list-succeeds']);
  const { scenario } = listing;
  expect(
    judgeServer({ ...listing, scenario: { ...scenario, breaks: ['list-succeeds'] } }).accusations,
  ).toEqual([]);
});

function replaced(name: string, ...values: readonly string[]): readonly HeaderField[] {
  const [limit = '', remaining = ''] = values;
  return LIMITS.map(([field, value]): HeaderField => [
    field,
    field.endsWith(name) ? limit : field.endsWith('Remaining') ? remaining : value,
  ]);
}

function pet(petId: bigint, quantity: number) {
  return JSON.parse(stringifyJson({ petId, quantity, status: 'sold' }));
}
