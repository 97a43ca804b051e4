import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { InventoryItem } from '../../../contract/inventory.ts';
import { itemJson, listMessage, openScriptedHistory, updateRequest } from './scripted-history.test-data.ts';

/** A write of a register or a read of it, with the span in which it took effect. */
interface RegisterOperation {
  readonly kind: 'write' | 'read';
  /** What was written, or found. */
  readonly value: number;
  readonly from: number;
  /** When its answer was there; `null` if none came. Such a write may have taken effect at any time after `from`, or never. */
  readonly to: number | null;
}

/** What was done to one register, which stood at 0 before. */
type RegisterHistory = readonly RegisterOperation[];

/**
 * Whether each operation can be given a moment between its sending and its answer such that each read finds what was written
 * last. Tries every order that their times allow, which takes exponential time.
 */
function isLinearizable(history: RegisterHistory): boolean {
  const attempt = (left: RegisterHistory, value: number): boolean =>
    left.every(({ to }) => to === null) ||
    left.some((operation) => {
      const rest = left.filter((other) => other !== operation);
      const isFree = rest.every(({ to }) => to === null || to >= operation.from);
      const isPossible = operation.kind === 'write' || operation.to === null || operation.value === value;
      const next = operation.kind === 'write' ? operation.value : value;
      return isFree && isPossible && attempt(rest, next);
    });
  return attempt(history, 0);
}

const PET: InventoryItem = { petId: 1n, quantity: 0, status: 'available' };

/** Operations on one pet; each begins and ends at an event of its own, or is lost. */
const smallHistory: fc.Arbitrary<RegisterHistory> = fc
  .array(
    fc.record({
      kind: fc.constantFrom('write', 'read'),
      lasts: fc.integer({ min: 1, max: 5 }),
      isLost: fc.integer({ min: 0, max: 5 }).map((value) => value === 0),
      found: fc.nat({ max: 9 }),
    }),
    { minLength: 2, maxLength: 7 },
  )
  .map((plans) => {
    const writes = plans.flatMap(({ kind }, index) => (kind === 'write' ? [index + 1] : []));
    return plans.map(({ kind, lasts, isLost, found }, index) => {
      // Moments are distinct, as events are one after the other.
      const from = index * 2;
      const to = isLost ? null : from + lasts * 2 + (index + 1) / 10;
      const value = kind === 'write' ? index + 1 : ([0, ...writes][found % (writes.length + 1)] ?? 0);
      return { kind, value, from, to };
    });
  });

/** Whether the inventory's monitor accuses a history that is told to it event by event. */
function isAccused(history: RegisterHistory): boolean {
  const script = openScriptedHistory();
  script.replacing()([PET]);
  const moments = history.flatMap((operation) => [
    { at: operation.from, operation, isEnd: false },
    { at: operation.to ?? operation.from + 100, operation, isEnd: true },
  ]);
  const ends = new Map<RegisterOperation, (isLost: boolean) => void>();
  for (const { operation, isEnd } of moments.toSorted((left, right) => left.at - right.at)) {
    if (isEnd) {
      ends.get(operation)?.(operation.to === null);
    } else {
      ends.set(operation, begin(script, operation));
    }
  }
  return script.broken().length > 0;
}

function begin(script: ReturnType<typeof openScriptedHistory>, { kind, value }: RegisterOperation) {
  const request = kind === 'write' ? updateRequest(1n, `{"quantity":${value}}`) : listMessage();
  const sent = script.send(request);
  const shown = itemJson({ ...PET, quantity: value });
  return (isLost: boolean): void => {
    if (isLost) {
      sent.lose();
    } else {
      sent.answer(200, kind === 'write' ? shown : [shown]);
    }
  };
}

test('what is accused event by event is not linearizable, and most of what is not linearizable is accused', () => {
  const seen = { accused: 0, broken: 0 };
  fc.assert(
    fc.property(smallHistory, (history) => {
      const holds = isLinearizable(history);
      const accused = isAccused(history);
      seen.accused += Number(accused);
      seen.broken += Number(!holds);
      expect(accused && holds).toBe(false);
    }),
    { numRuns: 1500 },
  );
  expect(seen.broken).toBeGreaterThan(200);
  expect(seen.accused / seen.broken).toBeGreaterThan(0.9);
});
