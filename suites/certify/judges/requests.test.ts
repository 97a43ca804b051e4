import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import {
  CLIENT_KEY,
  judgeSample,
  limited,
  type RecordedSample,
  update,
  UPDATE_TASK,
} from '../records/record.test-data.ts';
import { bearer, exactPetId, updateBody } from './requests.ts';

const judgeBearer = (...exchanges: readonly RecordedSample[]) => judgeSample(bearer, { exchanges });

describe('the bearer token', () => {
  test.each([
    `Bearer ${CLIENT_KEY}`,
    `bearer ${CLIENT_KEY}`,
    `BEARER ${CLIENT_KEY}`,
    `Bearer  ${CLIENT_KEY}`,
  ])('may be %s', (authorization) => {
    expect(judgeBearer({ authorization: [authorization] }).outcome).toBe('pass');
  });

  test.each([
    ['none', [], 'no Authorization header'],
    ['two', [`Bearer ${CLIENT_KEY}`, `Bearer ${CLIENT_KEY}`], '2 Authorization headers'],
    ['a bare key', [CLIENT_KEY], 'without the scheme'],
    ['an empty value', [''], 'without a token'],
    ['a scheme alone', ['Bearer'], 'without a token'],
    ['another scheme', [`Basic ${CLIENT_KEY}`], 'another scheme'],
    ['a scheme with a colon', [`Bearer: ${CLIENT_KEY}`], 'another scheme'],
    ['the scheme twice', [`Bearer Bearer ${CLIENT_KEY}`], 'something around it'],
    ['quotes', [`Bearer "${CLIENT_KEY}"`], 'something around it'],
    ['another letter-case', [`Bearer ${CLIENT_KEY.toLowerCase()}`], 'another letter-case'],
    ['a prefix', [`Bearer ${CLIENT_KEY.slice(0, -1)}`], 'only the beginning'],
    ['another key', ['Bearer elsewhere-9876'], 'another key'],
  ])('may not be %s, and no key is shown', (_what, authorization, told) => {
    const { outcome, message } = judgeBearer({ authorization });
    expect(outcome).toBe('fail');
    expect(message).toContain(told);
    expect(message?.toLowerCase()).not.toContain(CLIENT_KEY.slice(0, -1).toLowerCase());
  });

  test('is asked of every request, but for a preflight', () => {
    expect(judgeBearer(limited(0, 1), { at: 1.25, authorization: [] })).toMatchObject({
      outcome: 'fail',
      message: 'Request 2 of 2, at 1.25 s, has no Authorization header.',
    });
    const preflight = {
      method: 'OPTIONS',
      authorization: [],
      requestHeaders: [['access-control-request-method', 'GET']] as const,
    };
    expect(judgeBearer(preflight).outcome).toBeNull();
    expect(judgeBearer().outcome).toBeNull();
  });
});

const judgeBody = (...samples: readonly RecordedSample[]) =>
  judgeSample(updateBody, { task: UPDATE_TASK, exchanges: samples.map(update) });

describe('the content of an update', () => {
  test.each([
    '{"quantity":7}',
    '{"quantity":7.0}',
    '{"quantity":70e-1}',
    ' { "quantity" : 7, "note" : "x" }\n',
  ])('may be %s for the quantity 7', (requestBody) => {
    expect(judgeBody({ requestBody }).outcome).toBe('pass');
  });

  test('may not be coded, which is said', () => {
    const requestHeaders: readonly HeaderField[] = [
      ['Content-Type', 'application/json'],
      ['Content-Encoding', 'gzip'],
    ];
    expect(judgeBody({ requestHeaders, requestBody: '\u001F' }).message).toContain(
      'but in the content coding gzip',
    );
  });

  test.each([
    ['', 'no content'],
    ['quantity=7', 'not JSON'],
    ["{'quantity':7}", 'not JSON'],
    ['\uFEFF{"quantity":7}', String.raw`not JSON in UTF-8: "\uFEFF{`],
    ['7', '7, not a JSON object'],
    ['[{"quantity":7}]', 'an array, not a JSON object'],
    ['null', 'null, not a JSON object'],
    ['{}', 'no member quantity'],
    ['{"Quantity":7}', 'no member quantity: {"Quantity":7}'],
    ['{"inventory":{"quantity":7}}', 'no member quantity'],
    ['{"quantity":"7"}', '"7"; the integer 7'],
    ['{"quantity":8}', '8; the integer 7'],
    ['{"quantity":7.5}', '7.5; the integer 7'],
    ['{"quantity":null}', 'null; the integer 7'],
    ['{"quantity":0,"quantity":7}', 'A quantity of the update is 0; the integer 7'],
    ['{"quantity":7,"quantity":null}', 'A quantity of the update is null; the integer 7'],
    ['{"quantity":7.000001}', '7.000001; the integer 7'],
  ])('may not be %s', (requestBody, message) => {
    const said = judgeBody({ requestBody });
    expect(said).toMatchObject({ outcome: 'fail', message: expect.stringContaining(message) });
  });

  test('may be any integer for itself, and no other', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), (asked, sent) => {
        const { outcome } = judgeSample(updateBody, {
          task: { operation: 'updateInventory', petId: 1n, quantity: asked },
          exchanges: [update({ requestBody: `{"quantity":${sent}}` })],
        });
        expect(outcome).toBe(asked === sent ? 'pass' : 'fail');
      }),
    );
  });

  const JSON_TYPE: HeaderField = ['Content-Type', 'application/json'];

  test.each<[readonly HeaderField[], 'pass' | 'fail']>([
    [[['content-type', 'application/json']], 'pass'],
    [[['Content-Type', 'application/json; charset=utf-8']], 'pass'],
    [[['Content-Type', 'Application/JSON;charset="UTF-8"']], 'pass'],
    [[], 'fail'],
    [[['Content-Type', 'text/plain;charset=UTF-8']], 'fail'],
    [[['Content-Type', 'application/x-www-form-urlencoded']], 'fail'],
    [[['Content-Type', 'application/merge-patch+json']], 'fail'],
    [[JSON_TYPE, JSON_TYPE], 'fail'],
  ])('with the headers %j is said to %s', (requestHeaders, outcome) => {
    expect(judgeBody({ requestHeaders }).outcome).toBe(outcome);
  });

  test.each<[HeaderField, string]>([
    [['Content-Length', '14'], 'Content-Length says 14'],
    [['Transfer-Encoding', 'chunked'], 'the chunk of length 0'],
  ])(
    'that does not come whole with %j fails, whether the client waits for the answer or not',
    (field, message) => {
      const sample = { requestHeaders: [JSON_TYPE, field], requestBody: '' };
      const said = { outcome: 'fail', message: expect.stringContaining(message) };
      expect(judgeBody(sample)).toMatchObject(said);
      expect(judgeBody({ ...sample, isLost: true })).toMatchObject(said);
    },
  );

  test('is asked of every attempt', () => {
    const said = judgeBody({ status: 429, retryAfter: 1 }, { at: 1, requestBody: '' });
    expect(said.outcome).toBe('fail');
    expect(said.message).toContain('It was request 2; the first was right.');
  });

  test('is not asked of a list, another method or a request that was not read', () => {
    expect(judgeSample(updateBody, {}).outcome).toBeNull();
    expect(judgeBody({ method: 'GET', requestBody: '' }).outcome).toBeNull();
    expect(judgeBody({ answeredAt: null, requestBody: '' }).outcome).toBeNull();
  });
});

const judgePetId = (...samples: readonly RecordedSample[]) =>
  judgeSample(exactPetId, { task: UPDATE_TASK, exchanges: samples.map(update) });

describe('the petId in the path', () => {
  test.each([
    ['/v1/inventory/9007199254740993', 'pass'],
    ['/v1/inventory/9007199254740993/?', 'pass'],
    ['/v1/inventory/%39007199254740993', 'pass'],
    ['/v1/inventory/9007199254740992', 'fail'],
    ['/v1/inventory/9.007199254740993e15', 'fail'],
    ['/v1/inventory/9007199254740993n', 'fail'],
    ['/v1/inventory/9,007,199,254,740,993', 'fail'],
    ['/v1/inventory/{petId}', 'fail'],
    ['/v1/inventory/1', 'fail'],
    // Left to the judge of the operation.
    ['/v1/inventory', null],
    ['/v1/inventory/', null],
    ['/v1/pets/9007199254740993', null],
    ['/inventory/9007199254740992', null],
  ])('%s: %s', (target, outcome) => {
    expect(judgePetId({ target }).outcome).toBe(outcome);
  });

  test('is told from any other', () => {
    const id = fc.bigInt({ min: 1n, max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(id, id, (petId, sent) => {
        const { outcome } = judgeSample(exactPetId, {
          task: { operation: 'updateInventory', petId, quantity: 1 },
          exchanges: [update({ target: `/v1/inventory/${sent}` })],
        });
        expect(outcome).toBe(petId === sent ? 'pass' : 'fail');
      }),
    );
  });

  test('is asked of every attempt, and of no list', () => {
    expect(judgePetId({ status: 429, retryAfter: 1 }, { at: 1, target: '/v1/inventory/7' })).toMatchObject({
      outcome: 'fail',
      message: 'The path names pet 7; 9007199254740993 was asked for.',
    });
    expect(judgeSample(exactPetId, {}).outcome).toBeNull();
  });
});
