import { expect, test } from 'vitest';

import { namedPetsMonitor } from './named-pets.ts';
import { itemsOf, listMessage, openScriptedHistory } from './scripted-history.test-data.ts';

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
