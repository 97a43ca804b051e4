import { expect, test } from 'vitest';

import type { JsonValue } from '../../../contract/json/index.ts';
import { namedPetsMonitor } from './named-pets.ts';
import { itemJson, listMessage, openStory } from './story.test-data.ts';

const LIST = listMessage();

function itemsOf(...petIds: readonly bigint[]): JsonValue {
  return petIds.map((petId) => itemJson({ petId, quantity: 5, status: 'sold' }));
}

test('a list lacks a pet that the configuration names', () => {
  const story = openStory(namedPetsMonitor);
  story.name([1n, 7n]);
  story.send(LIST).answer(200, itemsOf(1n, 7n));
  expect(story.said.map(({ id, holds }) => [id, holds])).toEqual([
    ['list-complete', true],
    ['list-complete', true],
  ]);
  story.send(LIST).answer(200, itemsOf(1n));
  expect(story.broken()).toEqual(['list-complete']);
});

test('nothing is said of what cannot be read, of a refusal, and once the inventory is another one', () => {
  const story = openStory(namedPetsMonitor);
  story.send(LIST).answer(200, itemsOf(1n));
  story.name([7n]);
  story.send(LIST).answer(200, { none: true });
  story.send(LIST).answer(429, []);
  story.replacing()([]);
  story.send(LIST).answer(200, []);
  expect(story.said).toEqual([]);
});
