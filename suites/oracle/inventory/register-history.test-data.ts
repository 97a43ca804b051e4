import type { RegisterHistory } from './register-history.ts';
import type { RegisterOperation } from './register-operation.ts';

export function write(value: number, from: number, to: number | null): RegisterOperation {
  return {
    kind: 'write',
    value,
    from,
    to,
    label: `write of ${value}`,
  };
}

export function read(value: number, from: number, to: number | null): RegisterOperation {
  return {
    kind: 'read',
    value,
    from,
    to,
    label: `read at ${from}`,
  };
}

/**
 * Tries every order of the operations that their times allow. It shares no idea with the judge under test,
 * and takes exponential time.
 */
export function isLinearizableByTrial({ operations, initial, final }: RegisterHistory): boolean {
  const attempt = (left: readonly RegisterOperation[], value: number): boolean => {
    const isOver = left.every(({ to }) => to === null);
    if (isOver && (final === undefined || final === value)) {
      return true;
    }
    return left.some((operation) => {
      const rest = left.filter((other) => other !== operation);
      const isFree = rest.every(({ to }) => to === null || to >= operation.from);
      const isPossible = operation.kind === 'write' || operation.to === null || operation.value === value;
      const next = operation.kind === 'write' ? operation.value : value;
      return isFree && isPossible && attempt(rest, next);
    });
  };
  return attempt(operations, initial);
}

/** A history as a faultless register makes it, from clients that each wait for an answer before they go on. */
export function simulateRegister(
  random: () => number,
  { clients, operationsEach, startsAt = 0, firstValue = 1, initial = 0 }: SimulatedLoad,
): RegisterHistory & { readonly final: number; readonly endsAt: number } {
  const planned = Array.from({ length: clients }).flatMap((_, client) => {
    let now = startsAt + random();
    return Array.from({ length: operationsEach }, (_, index) => {
      const from = now;
      const to = from + random() * (random() < 0.05 ? 200 : 5);
      now = to + random() * 2;
      const effect = from + random() * (to - from);
      const isWrite = random() < 0.4;
      // An answer may be lost, and then a write may take effect late, or never.
      const isLost = random() < 0.02;
      return {
        label: `client ${client} request ${index}`,
        kind: isWrite ? ('write' as const) : ('read' as const),
        from,
        to: isLost ? null : to,
        effect: isLost ? (random() < 0.3 ? Number.POSITIVE_INFINITY : effect + random() * 500) : effect,
      };
    });
  });
  let value = initial;
  let unique = firstValue;
  const operations = planned
    .toSorted((left, right) => left.effect - right.effect)
    .map(({ label, kind, from, to, effect }) => {
      const written = unique;
      if (kind === 'write') {
        unique += 1;
        value = Number.isFinite(effect) ? written : value;
      }
      return { label, kind, from, to, value: kind === 'write' ? written : value };
    });
  const endsAt = planned.reduce(
    (latest, { to, effect }) => Math.max(latest, to ?? 0, Number.isFinite(effect) ? effect : 0),
    startsAt,
  );
  return { operations: shuffled(operations, random), initial, final: value, endsAt };
}

interface SimulatedLoad {
  readonly clients: number;
  readonly operationsEach: number;
  /** Milliseconds. */
  readonly startsAt?: number;
  readonly firstValue?: number;
  readonly initial?: number;
}

function shuffled<Value>(values: readonly Value[], random: () => number): readonly Value[] {
  return values
    .map((value) => ({ value, key: random() }))
    .toSorted((left, right) => left.key - right.key)
    .map(({ value }) => value);
}
