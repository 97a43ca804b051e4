import { describe, expect, test } from 'vitest';

import { judgeRegisterHistory, type RegisterHistory } from './register-history.ts';
import { isLinearizableByTrial, read, write } from './register-history.test-data.ts';

describe('a history holds', () => {
  test.each<[string, RegisterHistory]>([
    ['without operations', { operations: [], initial: 5, final: 5 }],
    ['when a read finds the initial value', { operations: [read(5, 0, 1)], initial: 5 }],
    [
      'when reads beside a write find either value',
      { operations: [write(1, 0, 10), read(5, 2, 3), read(1, 4, 5)], initial: 5, final: 1 },
    ],
    [
      'when the write sent first takes effect last',
      { operations: [write(1, 0, 10), write(2, 1, 3), read(2, 4, 5)], initial: 5, final: 1 },
    ],
    [
      'when an answer comes in the moment of the next sending',
      { operations: [write(1, 0, 10), write(2, 10, 20), read(1, 20, 30)], initial: 5 },
    ],
    [
      'when a write without an answer never took effect',
      { operations: [write(1, 0, null)], initial: 5, final: 5 },
    ],
    [
      'when a write without an answer took effect late',
      {
        operations: [write(1, 0, null), write(2, 5, 6), read(2, 7, 8), read(1, 9, 10)],
        initial: 5,
        final: 1,
      },
    ],
    ['when a read without an answer says nothing', { operations: [read(9, 0, null)], initial: 5 }],
    [
      'when values touch',
      { operations: [write(1, 0, 10), read(1, 20, 30), write(2, 15, 20), read(2, 25, 26)], initial: 5 },
    ],
  ])('%s', (_name, history) => {
    expect(judgeRegisterHistory(history)).toEqual({ holds: true });
    expect(isLinearizableByTrial(history)).toBe(true);
  });
});

describe('a history is refuted, by what proves it', () => {
  test.each<[string, RegisterHistory, string, readonly number[]]>([
    [
      'a value that was never written',
      { operations: [write(1, 100, 110), read(7, 112.5, 120)], initial: 5 },
      'read at 112.5 (12.5 ms to 20 ms) found 7, which was never written.',
      [1],
    ],
    [
      'a final value that was never written',
      { operations: [write(1, 100, 110)], initial: 5, final: 7 },
      'In the end the value was 7, which was never written.',
      [],
    ],
    [
      'a value that is written only later',
      { operations: [read(1, 100, 110), read(5, 100, 101), write(1, 111, 120)], initial: 5 },
      'read at 100 (0 ms to 10 ms) found 1, which write of 1 (sent at 11 ms) wrote only later.',
      [0, 2],
    ],
    [
      'a stale read',
      {
        operations: [
          write(1, 0, 10),
          read(1, 11, 12),
          write(2, 12.25, 20),
          read(2, 21, 22),
          read(1, 30.5, 40),
        ],
        initial: 5,
      },
      'write of 1 (answered at 10 ms) wrote 1, then write of 2 (12.25 ms to 20 ms) wrote 2, yet read at 30.5 (sent at 30.5 ms) found 1 again, which was written only once.',
      [0, 2, 4],
    ],
    [
      'the initial value after a write',
      { operations: [write(1, 0, 10), read(5, 11, 12)], initial: 5 },
      'The initial value was 5, then write of 1 (0 ms to 10 ms) wrote 1, yet read at 11 (sent at 11 ms) found 5 again, which was never written.',
      [0, 1],
    ],
    [
      'a lost update',
      { operations: [write(1, 0, 10), write(2, 11, 12)], initial: 5, final: 1 },
      'write of 1 (answered at 10 ms) wrote 1, then write of 2 (11 ms to 12 ms) wrote 2, yet in the end the value was 1 again, which was written only once.',
      [0, 1],
    ],
    [
      'a value that was replaced and is there in the end',
      { operations: [write(1, 0, 10), write(2, 5, 20), read(1, 30, 31)], initial: 5, final: 2 },
      'write of 2 (answered at 20 ms) wrote 2, then read at 30 (sent at 30 ms) found 1 and write of 1 (answered at 10 ms) wrote it, yet in the end the value was 2 again, which was written only once.',
      [0, 1, 2],
    ],
    [
      'no update at all',
      { operations: [write(1, 0, 10)], initial: 5, final: 5 },
      'The initial value was 5, then write of 1 (0 ms to 10 ms) wrote 1, yet in the end the value was 5 again, which was never written.',
      [0],
    ],
    [
      'a value that comes back, known from reads alone',
      {
        operations: [write(1, 0, 100), write(2, 0, null), read(1, 5, 6), read(2, 7, 8), read(1, 9, 10)],
        initial: 5,
      },
      'read at 5 (answered at 6 ms) found 1, then read at 7 (7 ms to 8 ms) found 2, yet read at 9 (sent at 9 ms) found 1 again, which was written only once.',
      [0, 1, 2, 3, 4],
    ],
    [
      'two values that contradict each other',
      { operations: [write(1, 0, 10), write(2, 0, 10), read(2, 11, 20), read(1, 12, 20)], initial: 5 },
      'write of 1 (answered at 10 ms) wrote 1, then read at 11 (sent at 11 ms) found 2 and write of 2 (answered at 10 ms) wrote it, yet read at 12 (sent at 12 ms) found 1 again, which was written only once.',
      [0, 1, 2, 3],
    ],
  ])('%s', (_name, history, message, proof) => {
    expect(isLinearizableByTrial(history)).toBe(false);
    expect(judgeRegisterHistory(history)).toEqual({
      holds: false,
      message,
      operations: proof.map((index) => history.operations[index]),
    });
  });

  test('by the simplest of several contradictions', () => {
    const involved = [write(1, 0, 10), write(2, 0, 10), read(1, 11, 20), read(2, 11, 20)];
    const stale = [write(3, 30, 31), write(4, 32, 33), read(3, 34, 35)];
    expect(judgeRegisterHistory({ operations: [...involved, ...stale], initial: 5 })).toMatchObject({
      operations: stale,
    });
  });
});

test('a value must not be written twice', () => {
  const twice = { operations: [write(1, 0, 1), write(1, 2, 3)], initial: 5 };
  expect(() => judgeRegisterHistory(twice)).toThrow(RangeError);
  expect(() => judgeRegisterHistory({ operations: [write(5, 0, 1)], initial: 5 })).toThrow(
    '5 is written twice',
  );
});
