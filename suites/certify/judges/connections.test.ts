import { expect, test } from 'vitest';

import { CLIENT_KEY, judgeSample, limited, type RecordedSample } from '../records/record.test-data.ts';
import { connections } from './connections.ts';

const ID = 'client-reuses-connections';
const AGENT = [`${ID}.user-agent`, 'none'];

const observe = (...exchanges: readonly RecordedSample[]) => judgeSample(connections, { exchanges }).observed;

test('sees whether the next attempt goes over the same connection', () => {
  expect(observe(limited(0, 1), { at: 1 })).toEqual([AGENT, [ID, 'keeps its connection']]);
  expect(observe(limited(0, 1), { at: 1, connection: 2 })).toEqual([AGENT, [ID, 'opens another connection']]);
});

test('does not reckon with connections that may have been closed, or are in use', () => {
  expect(observe(limited(0, 35), { at: 35, connection: 2 })).toEqual([AGENT]);
  expect(observe({ at: 0, answeredAt: 2 }, { at: 1, connection: 2 })).toEqual([AGENT]);
  expect(observe({ answeredAt: null }, { at: 1, connection: 2 })).toEqual([AGENT]);
  const exchanges = [limited(0, 1), { at: 1, connection: 2 }];
  expect(judgeSample(connections, { exchanges, traits: ['closes-connections'] }).observed).toEqual([AGENT]);
  expect(observe()).toEqual([]);
});

test('notes what the client calls itself, without its key', () => {
  const requestHeaders = [['user-agent', `petshop/1.2 (${CLIENT_KEY})`]] as const;
  expect(observe({ requestHeaders })).toEqual([[`${ID}.user-agent`, 'petshop/1.2 (client#1)']]);
});
