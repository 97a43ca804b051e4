import { expect, test } from 'vitest';

import { hiddenPetsMonitor, namedPetsMonitor } from './left-out-pets.ts';
import { itemsOf, listMessage, openScriptedHistory, updateRequest } from './scripted-history.test-data.ts';

const LIST = listMessage();

test('a list lacks a pet that the configuration names', () => {
  const history = openScriptedHistory(namedPetsMonitor);
  history.name([1n, 7n]);
  history.send(LIST).answer(200, itemsOf(1n, 7n));
  expect(history.said.map(({ id, holds }) => [id, holds])).toEqual([
    ['list-complete', true],
    ['list-complete', true],
  ]);
  history.send(LIST).answer(200, itemsOf(1n));
  expect(history.broken()).toEqual(['list-complete']);
});

test('nothing is said of what cannot be read, of a refusal, and once the inventory is another one', () => {
  const history = openScriptedHistory(namedPetsMonitor);
  history.send(LIST).answer(200, itemsOf(1n));
  history.name([7n]);
  history.send(LIST).answer(200, { none: true });
  history.send(LIST).answer(429, []);
  history.replacing()([]);
  history.send(LIST).answer(200, []);
  expect(history.said).toEqual([]);
});

test('a pet that left the list is still in the store if it is known, and unknown ones are told apart', () => {
  const history = openScriptedHistory(hiddenPetsMonitor);
  history.send(LIST).answer(200, itemsOf(1n, 7n));
  history.send(LIST).answer(200, itemsOf(1n));
  history.send(updateRequest(7n, '{}')).answer(400);
  history.send(updateRequest(404n, '{}')).answer(404);
  expect(history.broken()).toEqual([]);
  history.send(LIST).answer(200, itemsOf(1n));
  expect(history.broken()).toEqual(['update-touches-one-entry']);
});

test.each([
  ['it is back in the list', 400, 404, [1n, 7n], false],
  ['it is unknown', 404, 404, [1n], false],
  ['unknown pets are not told apart', 400, 400, [1n], false],
  ['the inventory was replaced', 400, 404, [1n], true],
] as const)('nothing is said if %s', (_why, known, unknown, last, isReplaced) => {
  const history = openScriptedHistory(hiddenPetsMonitor);
  history.send(LIST).answer(200, itemsOf(1n, 7n));
  if (isReplaced) {
    history.replacing()(null);
  }
  history.send(LIST).answer(200, itemsOf(1n));
  history.send(updateRequest(7n, '{}')).answer(known);
  history.send(updateRequest(404n, '{}')).answer(unknown);
  history.send(LIST).answer(200, itemsOf(...last));
  expect(history.said).toEqual([]);
});
