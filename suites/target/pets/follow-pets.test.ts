import { describe, expect, test } from 'vitest';

import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { addressOf, createTargetClient } from '../http/target-client.ts';
import { followedPet, followPets } from './follow-pets.ts';

const NOTED = { petId: 1n, quantity: 12, status: 'available' } as const;

/** A pet that is followed, and what was told of it. */
function follow() {
  const told: string[] = [];
  const pet = followedPet(NOTED);
  const client = createTargetClient(addressOf('http://shop.test'));
  const following = followPets([pet], { client }, ({ item }, now) =>
    told.push(`${item.quantity} to ${now.quantity}`),
  );
  const list = (quantity: number, sentAt = client.time.now()): void => {
    const body = JSON.stringify([{ petId: 1, quantity, status: 'available' }]);
    following.noteList(sampleExchange({ body, sentAt, headers: [['Content-Type', 'application/json']] }));
  };
  const answer = (status: number, quantity = 0): void => {
    const body = JSON.stringify({ petId: 1, quantity, status: 'available' });
    following.noteAnswered([pet], sampleExchange({ status, body }));
  };
  return { pet, told, list, answer, send: () => following.noteSent([pet]), now: () => client.time.now() };
}

describe('a list', () => {
  test('that shows what nobody asked for tells that somebody else set it', () => {
    const { pet, told, list } = follow();
    list(459);
    list(459);
    expect(told).toEqual(['12 to 459']);
    expect(pet.item.quantity).toBe(459);
  });

  test('that shows what this run may have set tells nothing', () => {
    const { pet, told, list, send, answer } = follow();
    pet.own.add(111n);
    send();
    answer(200, 100);
    list(111);
    list(100);
    list(12);
    expect(told).toEqual([]);
    expect(pet.item).toBe(NOTED);
  });

  test.each([
    ['was under way beside an update', 'answer'],
    ['comes while an update has no answer', 'none'],
  ])('that %s tells nothing', (_what, end) => {
    const { pet, told, list, send, answer, now } = follow();
    send();
    const sentAt = now();
    if (end === 'answer') {
      answer(200);
    }
    list(459, sentAt - 1);
    expect(told).toEqual([]);
    expect(pet.shown).toBeNull();
  });
});

test.each([
  [[400, 404], true],
  [[400, 200], false],
])('answers %j leave a pet refused all along: %s', (statuses, isRefused) => {
  const { pet, send, answer } = follow();
  for (const status of statuses) {
    send();
    answer(status);
  }
  expect(pet.isRefused).toBe(isRefused);
});
