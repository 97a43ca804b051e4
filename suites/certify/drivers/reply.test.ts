import { expect, test } from 'vitest';

import { readReplyLine } from './reply.ts';

const read = (text: string) => readReplyLine(Buffer.from(text), ['key-0123456789']);

test('reads a result with every digit', () => {
  expect(read('{"ok":true,"value":{"petId":9007199254740993}}')).toEqual({
    reply: { ok: true, value: { petId: 9_007_199_254_740_993n } },
  });
});

test.each([
  ['{"ok":true,"value":[]}\r', { ok: true, value: [] }],
  ['\u{FEFF}{"ok":true,"value":null}', { ok: true, value: null }],
  ['{"ok":true,"value":1,"error":null,"took":3}', { ok: true, value: 1 }],
])('reads the result %j', (text, reply) => {
  expect(read(text)).toEqual({ reply });
});

test.each([
  ['{"code":"not_found","message":"No pet","status":404}', 'not_found', 'No pet', 404],
  ['{"code":"not_found","message":"No pet","status":404.0,"name":"Error"}', 'not_found', 'No pet', 404],
  ['{"status":429}', null, null, 429],
  ['{"code":null,"message":"socket hang up","status":null}', null, 'socket hang up', null],
  ['{}', null, null, null],
  // Of the wrong type, which is for the judge to say.
  ['{"code":7,"message":[],"status":"404"}', 7, [], '404'],
  ['null', null, null, null],
  ['"x"', null, null, null],
])('reads the error %s', (error, code, message, status) => {
  expect(read(`{"ok":false,"error":${error}}`)).toEqual({
    reply: { ok: false, error: { code, message, status } },
  });
});

test.each([
  ['Done', 'The last line of stdout is no JSON object on one line: "Done".'],
  ['[1]', 'The last line of stdout is no JSON object on one line: "[1]".'],
  ["{'ok': True}", `The last line of stdout is no JSON object on one line: "{'ok': True}".`],
  ['null', 'The last line of stdout is no JSON object on one line: "null".'],
  ['{}', 'In the last line of stdout ok is missing.'],
  ['{"ok":"true"}', 'In the last line of stdout ok is neither true nor false: "true".'],
  ['{"ok":null}', 'In the last line of stdout ok is neither true nor false: null.'],
  ['{"ok":true}', 'In the last line of stdout value is missing.'],
  ['{"ok":false}', 'In the last line of stdout error is missing.'],
])('tells what is wrong with %s', (text, problem) => {
  expect(read(text)).toEqual({ problem });
});

test('cuts what it shows', () => {
  expect(read('x'.repeat(5_000))).toEqual({
    problem: `The last line of stdout is no JSON object on one line: "${'x'.repeat(150)}…${'x'.repeat(50)}".`,
  });
});

test('shows no part of a key, wherever it cuts', () => {
  expect(read(`${'x'.repeat(195)}key-0123456789,`)).toEqual({
    problem: `The last line of stdout is no JSON object on one line: "${'x'.repeat(150)}…${'x'.repeat(44)}[key],".`,
  });
});

test('says that a line is not in UTF-8', () => {
  const line = Buffer.from('\uFEFF{"ok":true,"value":[]}', 'utf16le');
  expect(readReplyLine(line, [])).toEqual({
    problem: expect.stringContaining('The last line of stdout is no JSON object on one line, in UTF-8: '),
  });
});
