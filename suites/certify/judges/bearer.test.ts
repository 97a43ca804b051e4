import { expect, test } from 'vitest';

import { CLIENT_KEY, judgeSample, limited } from '../records/record.test-data.ts';
import { bearer } from './bearer.ts';

const ID = 'client-sends-bearer';

test.each([`Bearer ${CLIENT_KEY}`, `bearer ${CLIENT_KEY}`, `BEARER ${CLIENT_KEY}`, `Bearer  ${CLIENT_KEY}`])(
  'accepts %s',
  (authorization) => {
    expect(judgeSample(bearer, { exchanges: [{ authorization: [authorization] }] }).judged).toEqual({
      [ID]: 'pass',
    });
  },
);

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
])('does not accept %s, and shows no key', (_what, authorization, message) => {
  const said = judgeSample(bearer, { exchanges: [{ authorization }] });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual([expect.stringContaining(message)]);
  expect(said.messages.join('').toLowerCase()).not.toContain(CLIENT_KEY.slice(0, -1).toLowerCase());
});

test('judges every request', () => {
  const said = judgeSample(bearer, { exchanges: [limited(0, 1), { at: 1.25, authorization: [] }] });
  expect(said.judged).toEqual({ [ID]: 'fail' });
  expect(said.messages).toEqual(['Request 2 of 2, at 1.25 s, has no Authorization header.']);
});

test('says nothing if nothing was sent, nor of a preflight', () => {
  const preflight = {
    method: 'OPTIONS',
    authorization: [],
    requestHeaders: [['access-control-request-method', 'GET']] as const,
  };
  expect(judgeSample(bearer, { exchanges: [] }).judged).toEqual({});
  expect(judgeSample(bearer, { exchanges: [preflight] }).judged).toEqual({});
});
