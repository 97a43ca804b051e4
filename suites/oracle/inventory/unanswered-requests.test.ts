import { expect, test } from 'vitest';

import type { RequestMessage } from '../exchange.ts';
import { rateLimitFields } from '../exchange.test-data.ts';
import type { Credential } from '../history.ts';
import { limitsMonitor } from '../limits/index.ts';
import { inventoryMonitor } from './inventory-monitor.ts';
import { listMessage, openScriptedHistory, updateRequest, VALID } from './scripted-history.test-data.ts';

const MISSING: Credential = { kind: 'missing' };
const UNKNOWN: Credential = { kind: 'invalid', requirement: 'unknown-key' };
const ORDERS: RequestMessage = { ...listMessage('/store/orders'), operation: 'listOrders' };

/** What is broken if a request gets no response, however often it is sent. */
function broken(
  request: RequestMessage,
  credential: Credential = VALID,
  isStoreKnown = true,
): readonly string[] {
  const history = openScriptedHistory();
  history.replacing()(isStoreKnown ? [{ petId: 1n, quantity: 3, status: 'sold' }] : null);
  history.send(request, credential).leave();
  return history.broken();
}

test.each<[string, RequestMessage, Credential?]>([
  ['list-succeeds', listMessage()],
  ['update-succeeds', updateRequest(1n, '{"quantity":5}')],
  ['update-succeeds', updateRequest(1n, '{"quantity":5,"note":"x"}')],
  ['update-succeeds', updateRequest(1n, '{"quantity":-5}')],
  ['update-succeeds', updateRequest(1n, '{"quantity":1e400}')],
  ['update-unknown-pet', updateRequest(2n, '{"quantity":5}')],
  ['update-missing-quantity', updateRequest(1n, '{}')],
  ['update-malformed-body', updateRequest(1n, 'null')],
  ['missing-key', listMessage(), MISSING],
  ['unknown-key', updateRequest(1n, '{"quantity":5}'), UNKNOWN],
  ['valid-key-accepted', ORDERS],
  ['every-operation-authenticates', ORDERS, MISSING],
])('%s is broken by no answer to a request that it speaks of', (id, request, credential) => {
  expect(broken(request, credential)).toEqual([id]);
});

test.each<[string, RequestMessage, Credential?]>([
  ['a spelling that no router need know', listMessage('/inventory/')],
  ['an id that is none', updateRequest('x', '{"quantity":5}')],
  ['a body that may mean anything', updateRequest(1n, '{"quantity":5,"quantity":6}')],
  ['a spelling of the key', listMessage(), { kind: 'open', key: 'free#1' }],
  ['a list with a body', { ...listMessage(), body: '{}' }],
  ['another method', { ...listMessage(), operation: null, method: 'PUT' }],
])('%s need not be answered', (_what, request, credential) => {
  expect(broken(request, credential)).toEqual([]);
});

test('of a pet that may be in the store or not, nothing but what the body demands is broken', () => {
  expect(broken(updateRequest(1n, '{"quantity":5}'), VALID, false)).toEqual([]);
  expect(broken(updateRequest(1n, '{}'), VALID, false)).toEqual(['update-missing-quantity']);
});

test('whether its pet was there when it was sent, what is under way since does not open again', () => {
  const history = openScriptedHistory();
  history.replacing()([{ petId: 1n, quantity: 3, status: 'sold' }]);
  const unknown = history.send(updateRequest(2n, '{"quantity":5}'));
  history.send(updateRequest('x', '{"quantity":5}'));
  unknown.leave();
  expect(history.broken()).toEqual(['update-unknown-pet']);
});

test.each([
  [0, limitsMonitor, ['refusal-is-429']],
  [0, inventoryMonitor, []],
  [1, limitsMonitor, []],
  [1, inventoryMonitor, ['update-succeeds']],
])(
  'with %i requests left of its limit, by $id an update without an answer breaks %j',
  (remaining, monitor, ids) => {
    const history = openScriptedHistory(monitor);
    history.replacing()([{ petId: 1n, quantity: 3, status: 'sold' }]);
    history.send(listMessage()).answer(429, '', rateLimitFields(60, remaining, 0));
    history.send(updateRequest(1n, '{"quantity":5}')).leave();
    expect(history.broken()).toEqual(ids);
  },
);
