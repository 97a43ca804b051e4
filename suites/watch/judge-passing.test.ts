import { expect, test } from 'vitest';

import { createRedactor } from '../target/index.ts';
import { judgePassing } from './judge-passing.ts';
import type { PassedResponse } from './proxy/forward.ts';

const OPTIONS = {
  base: 'http://127.0.0.1:1/v1',
  keys: [],
  redactor: createRedactor(),
  isExclusive: false,
} as const;

const HEADERS = [['Content-Length', '14']] as const;
const UPDATE = { method: 'PATCH', target: '/v1/inventory/1', headers: HEADERS, sentAt: 1_000 };
const LIST = { method: 'GET', target: '/v1/inventory', headers: [], sentAt: 1_001 };
const ANSWER: PassedResponse = { status: 401, headers: [], body: Buffer.from('{}') };

test('what began behind a request is judged once its body has passed', () => {
  const judge = judgePassing(OPTIONS);
  const update = judge.began(UPDATE);
  const list = judge.began(LIST);
  list.bodyPassed(Buffer.alloc(0));
  list.ended(ANSWER, 1_002);
  expect(judge.judged().exchanges).toBe(0);
  update.bodyPassed(Buffer.from('{"quantity":5}'));
  expect(judge.judged().exchanges).toBe(1);
  update.ended(ANSWER, 1_003);
  expect(judge.judged()).toMatchObject({ exchanges: 2, withoutBody: 0 });
});

test('what is not in the coding that it claims is no Error object, as no client can read it', () => {
  const judge = judgePassing(OPTIONS);
  const list = judge.began({ ...LIST, headers: [['Host', 'pets.example']] });
  list.bodyPassed(Buffer.alloc(0));
  const body = Buffer.from('{"code":"unauthorized","message":"No key.","status":401}');
  list.ended({ status: 401, headers: [['Content-Encoding', 'gzip']], body }, 1_002);
  const failed = judge
    .judged()
    .judgements.filter(({ outcome }) => outcome === 'fail')
    .map(({ id }) => id);
  expect(failed).toEqual(expect.arrayContaining(['error-code', 'error-message', 'error-status']));
});

test('a body that never comes holds up hundreds of steps and no more', () => {
  const judge = judgePassing(OPTIONS);
  const update = judge.began(UPDATE);
  for (let listed = 0; listed < 1_000; listed += 1) {
    const list = judge.began(LIST);
    list.bodyPassed(Buffer.alloc(0));
    list.ended(ANSWER, 1_002);
  }
  expect(judge.judged().exchanges).toBe(1_000);
  update.bodyPassed(Buffer.from('{"quantity":5}'));
  update.ended(ANSWER, 1_003);
  expect(judge.judged()).toMatchObject({ exchanges: 1_001, withoutBody: 1 });
});

test('an end that nobody waits for leaves nothing unjudged', () => {
  const judge = judgePassing(OPTIONS);
  judge.began(UPDATE);
  const list = judge.began(LIST);
  list.bodyPassed(Buffer.alloc(0));
  list.ended(ANSWER, 1_002);
  judge.close();
  expect(judge.judged().exchanges).toBe(1);
});
