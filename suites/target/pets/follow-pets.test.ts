import { describe, expect, test } from 'vitest';

import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { listInventory, updateInventory } from '../http/operations.ts';
import { followedPet, followPets } from './follow-pets.ts';

const NOTED = { petId: 1n, quantity: 12, status: 'available' } as const;

/** A pet that is followed, and what others were seen to set it to. */
function follow() {
  const told: number[] = [];
  let now = 0;
  const pet = followedPet(NOTED);
  const journal = {
    claim: ([item]: readonly { readonly quantity: number | bigint }[]) => told.push(Number(item?.quantity)),
    restored: () => {},
    send: () => {},
    sentTo: () => [[0n, 999n] as const],
  };
  const { noteSent, owed } = followPets([pet], { journal, time: { now: () => now } });
  const list = (quantity: number, sentAt = (now += 1)): void => {
    const body = JSON.stringify([{ petId: 1, quantity, status: 'available' }]);
    const headers = [['Content-Type', 'application/json']] as const;
    noteSent([pet], listInventory())(sampleExchange({ body, sentAt, headers }));
  };
  /** @returns has it answered with the pet that is followed */
  const sendTo = (petId: bigint, quantity: number) => {
    const note = noteSent(petId === pet.petId ? [pet] : [], updateInventory(petId, quantity));
    return (status: number, answered = quantity): void => {
      now += 1;
      const body = JSON.stringify({ petId: 1, quantity: answered, status: 'available' });
      note(sampleExchange({ operation: 'updateInventory', method: 'PATCH', status, body }));
    };
  };
  const send = (quantity: number) => sendTo(pet.petId, quantity);
  return { pet, told, list, send, sendTo, isOwed: () => owed([pet]).length > 0 };
}

test('a pet that is named in the answer to the update of another is owed', () => {
  const { list, sendTo, isOwed, told } = follow();
  sendTo(2n, 91)(200);
  list(91);
  expect(isOwed()).toBe(true);
  expect(told).toEqual([]);
});

describe('a list', () => {
  test('that shows what nobody asked for tells that somebody else set it', () => {
    const { pet, told, list } = follow();
    list(459);
    list(459);
    expect(told).toEqual([459]);
    expect(pet.item.quantity).toBe(459);
  });

  test('that shows what this run may have set tells nothing', () => {
    const { pet, told, list, send } = follow();
    send(111)(200, 100);
    list(111);
    list(100);
    list(12);
    expect(told).toEqual([]);
    expect(pet.item).toBe(NOTED);
  });

  test.each([
    ['was under way beside an update', true],
    ['comes while an update has no answer', false],
  ])('that %s tells nothing', (_what, isAnswered) => {
    const { pet, told, list, send } = follow();
    const answer = send(13);
    if (isAnswered) {
      answer(200);
    }
    list(459, 0);
    expect(told).toEqual([]);
    expect(pet.shown).toBeNull();
  });
});

test.each([
  [[400, 404], true],
  [[400, 200], false],
])('answers %j leave a pet refused all along: %s', (statuses, isRefused) => {
  const { pet, send } = follow();
  statuses.forEach((status) => send(13)(status));
  expect(pet.isRefused).toBe(isRefused);
});

test.each([
  [429, 200, true],
  [200, 429, true],
  [429, 429, false],
])('of two updates at once, answered %i and %i, the pet has to be put back: %s', (first, second, isOwed) => {
  const scene = follow();
  const answers = [scene.send(7), scene.send(8)];
  answers[1]?.(second);
  answers[0]?.(first);
  expect(scene.isOwed()).toBe(isOwed);
});
