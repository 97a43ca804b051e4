import { expect, test } from 'vitest';

import { mergeKnownClients } from './clients.ts';

const CATALOGUE = [
  { id: 'fetch.ts', expected: 'certified' },
  { id: 'faulty hammers', expected: 'not-certified', breaks: 'client-waits' },
  { id: 'faulty hangs', expected: 'not-certified', breaks: 'client-completes', met: 'exec' },
  { id: 'faulty new', expected: 'not-certified', breaks: 'client-operation' },
] as const;

const BEFORE = {
  'faulty hammers': { breaks: 'client-avoids-ban', driver: 'any', shownBy: ['limited-date'] },
  'faulty hangs': { breaks: 'client-completes', driver: 'exec', shownBy: ['list'] },
  'faulty gone': { breaks: 'client-waits', driver: 'any', shownBy: ['list'] },
};

test('what prove showed replaces what was known, of the clients that it had', () => {
  const proof = {
    clients: [
      { id: 'fetch.ts', shownBy: [] },
      { id: 'faulty hammers', shownBy: ['limited-seconds'] },
    ],
  };
  expect(mergeKnownClients(BEFORE, [proof], CATALOGUE)).toEqual({
    'faulty hammers': { breaks: 'client-waits', driver: 'any', shownBy: ['limited-seconds'] },
    'faulty hangs': { breaks: 'client-completes', driver: 'exec', shownBy: ['list'] },
  });
});

test.each([[{}], [{ clients: ['x'] }], [{ clients: [{ id: 'x' }] }]])('does not take %j', (proof) => {
  expect(() => mergeKnownClients(BEFORE, [proof], CATALOGUE)).toThrow(SyntaxError);
});
