import { expect, test } from 'vitest';

import { canonicalAddress, possibleIdentity } from './target-identity.ts';

test.each([
  [
    'http://api.example/v1',
    ['HTTP://API.Example/v1/', 'http://api.example:80/v1', 'http://api.example./%761'],
  ],
  ['https://api.example/v1', ['https://api.example:443/v1', 'https://user:secret@api.example/v1?a#b']],
  ['http://api.example/a%2Fb', ['http://api.example/a%2fb']],
  ['http://[::1]:8080/v1', ['http://[0:0:0:0:0:0:0:1]:8080/v1']],
])('%s is one address however it is spelled', (canonical, spellings) => {
  expect(spellings.map(canonicalAddress)).toEqual(spellings.map(() => canonical));
});

test.each([
  ['http://api.example/v1', 'http://api.example/V1'],
  ['http://api.example/v1', 'https://api.example/v1'],
  ['http://api.example/v1', 'http://api.example:8080/v1'],
  ['http://api.example/a/b', 'http://api.example/a%2Fb'],
  ['http://127.0.0.1/v1', 'http://127.0.0.2/v1'],
  ['http://127.0.0.1:8080/v1', 'http://localhost:8081/v1'],
  ['http://localhost.example/v1', 'http://localhost/v1'],
])('%s and %s are never the same service', (one, other) => {
  expect(canonicalAddress(one)).not.toBe(canonicalAddress(other));
  expect(possibleIdentity(one)).not.toBe(possibleIdentity(other));
});

test('names of this machine may be the same service, and are not the same address', () => {
  const names = [
    '127.0.0.1',
    'localhost',
    'LOCALHOST.',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    'a.localhost',
  ];
  const urls = names.map((name) => `http://${name}:8080/v1`);
  expect(new Set(urls.map(possibleIdentity))).toEqual(new Set(['http://127.0.0.1:8080/v1']));
  expect(canonicalAddress('http://localhost:8080/v1')).not.toBe(canonicalAddress('http://[::1]:8080/v1'));
});
