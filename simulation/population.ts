import { seededRandom, type Random } from '../contract/seeded-random.ts';
import type { ClientPolicy } from './client-policy.ts';

/** A policy, and the share of all clients that follow it. */
export interface PopulationShare {
  readonly policy: ClientPolicy;
  /** Shares add up to 1. */
  readonly share: number;
}

/** What is known of each client, by its number. */
export type Population = ReturnType<typeof createPopulation>;

/** Clients of these policies in random order, in numbers that are as near to their shares as can be. */
export function createPopulation(clients: number, shares: readonly PopulationShare[], random: Random) {
  const policy = new Uint8Array(clients);
  let from = 0;
  let sum = 0;
  for (const [index, { share }] of shares.entries()) {
    sum += share;
    const to = index === shares.length - 1 ? clients : Math.round(sum * clients);
    policy.fill(index, from, to);
    from = to;
  }
  shuffle(policy, random);
  return {
    /** Index of its policy. */
    policy,
    /** Requests that it sent. */
    sent: new Uint32Array(clients),
    /** Those that were granted. */
    granted: new Uint32Array(clients),
    /** Refusals in a row. */
    refusals: new Uint32Array(clients),
    /** 1 once it was told to wait. */
    isReturning: new Uint8Array(clients),
    /** 1 once it was banned. */
    wasBanned: new Uint8Array(clients),
    gaveUp: new Uint8Array(clients),
    /** When it had all it wanted; NaN if it has not. */
    servedAt: new Float64Array(clients).fill(Number.NaN),
  };
}

/** When each client sends its first request, in seconds: at random, evenly. */
export function beginsOf({
  clients,
  arrivalSeconds,
  seed,
}: {
  readonly clients: number;
  readonly arrivalSeconds: number;
  readonly seed: number;
}): Float64Array {
  const random = seededRandom(seed);
  return Float64Array.from({ length: clients }, () => random() * arrivalSeconds);
}

function shuffle(values: Uint8Array, random: Random): void {
  for (let end = values.length - 1; end > 0; end -= 1) {
    const other = Math.floor(random() * (end + 1));
    const moved = values[end] ?? 0;
    values[end] = values[other] ?? 0;
    values[other] = moved;
  }
}

export function increment(counts: Uint32Array, client: number): number {
  const count = (counts[client] ?? 0) + 1;
  counts[client] = count;
  return count;
}
