import { describe, expect, test } from 'vitest';

import { judgeRegisterHistory } from './register-history.ts';
import { read, simulateRegister, write } from './register-history.test-data.ts';
import { seededRandom } from '../../../contract/seeded-random.ts';

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('5,000 operations of a simulated register, seed %i', (seed) => {
  const random = seededRandom(seed);
  const clients = [1, 2, 5, 10, 20, 50][seed % 6] ?? 1;
  const history = simulateRegister(random, { clients, operationsEach: 5000 / clients });
  const quietAt = history.endsAt + 1;

  test('are never accused', () => {
    expect(judgeRegisterHistory(history)).toEqual({ holds: true });
  });

  test('are accused of one stale read', () => {
    const { operations } = history;
    const writes = operations.filter(({ kind, to }) => kind === 'write' && to !== null);
    const reads = operations.filter(({ kind, to }) => kind === 'read' && to !== null);
    const stale = reads.flatMap((victim) => {
      const newer = writes.find(({ to }) => (to ?? 0) < victim.from);
      const older = writes.find(({ to }) => newer !== undefined && (to ?? 0) < newer.from);
      return older === undefined ? [] : [{ victim, value: older.value }];
    });
    const chosen = stale[Math.floor(random() * stale.length)];
    const spoiled = operations.map((operation) =>
      operation === chosen?.victim ? read(chosen.value, operation.from, operation.to) : operation,
    );
    expect(judgeRegisterHistory({ ...history, operations: spoiled }).holds).toBe(false);
  });

  test('are accused of one lost update', () => {
    const lost = write(1_000_000, quietAt + 1, quietAt + 2);
    const later = simulateRegister(random, {
      clients,
      operationsEach: 50,
      startsAt: quietAt + 4,
      firstValue: 2_000_000,
      initial: history.final,
    });
    // A read before and one after show that the write changed nothing.
    const before = read(history.final, quietAt, quietAt + 0.5);
    const after = read(history.final, quietAt + 3, quietAt + 3.5);
    const operations = [...history.operations, before, lost, after, ...later.operations];
    expect(judgeRegisterHistory({ operations, initial: 0, final: later.final })).toMatchObject({
      holds: false,
      operations: expect.arrayContaining([lost, after]),
    });
    const without = operations.filter((operation) => operation !== lost);
    expect(judgeRegisterHistory({ operations: without, initial: 0, final: later.final })).toEqual({
      holds: true,
    });
  });

  test('are accused of a last update that is not there in the end', () => {
    const operations = [
      ...history.operations,
      read(history.final, quietAt, quietAt + 1),
      write(-1, quietAt + 2, quietAt + 3),
    ];
    expect(judgeRegisterHistory({ ...history, operations }).holds).toBe(false);
    expect(judgeRegisterHistory({ ...history, operations, final: -1 })).toEqual({ holds: true });
  });
});
