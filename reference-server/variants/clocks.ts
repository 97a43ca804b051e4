import type { Variant } from './variant.ts';

function clock(id: string, title: string, tell: (now: number) => number): Variant {
  return {
    id,
    title,
    freedom: 'clock',
    alter: { parts: (parts) => ({ clock: { now: () => tell(parts.clock.now()) } }) },
  };
}

const HOUR_SECONDS = 3_600;

/** Moves with the control clock only. */
function standStill(now: number): number {
  return now - performance.now() / 1_000;
}

/** Adds no fractions smaller than a millisecond, and never runs backwards. */
function inMilliseconds(tell: () => number): () => number {
  let latest = Number.NEGATIVE_INFINITY;
  return () => {
    latest = Math.max(latest, Math.round(tell() * 1_000) / 1_000);
    return latest;
  };
}

/** The clock of the whole service, the control contract included. */
export const CLOCK_VARIANTS: readonly Variant[] = [
  clock('clock-five-hours-ahead', 'The clock is five hours ahead', (now) => now + 5 * HOUR_SECONDS),
  clock('clock-a-minute-behind', 'The clock is 61.5 seconds behind', (now) => now - 61.5),
  {
    id: 'clock-that-stands-still',
    title: 'The clock moves only when the control contract moves it',
    freedom: 'clock',
    alter: {
      parts: (parts) => ({ clock: { now: inMilliseconds(() => standStill(parts.clock.now())) } }),
    },
  },
  clock('clock-of-whole-seconds', 'The clock tells whole seconds only', (now) => Math.floor(now)),
];
