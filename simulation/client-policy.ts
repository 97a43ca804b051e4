import type { Random } from '../contract/seeded-random.ts';

/** What a client was told instead of being granted what it wants. */
interface ClientRefusal {
  /** Seconds that Retry-After asks for, from the answer on; `null` without one, as after a 503 or no answer at all. */
  readonly retryAfterSeconds: number | null;
  /** How many there have been in a row, this one included. */
  readonly inARow: number;
}

/** What a client does after a refusal. */
export interface ClientPolicy {
  /** Short, such as `jitter:50%`. */
  readonly name: string;
  /** In a phrase. */
  readonly title: string;
  /** Seconds until its next request; `null` if it gives up. */
  readonly wait: (refusal: ClientRefusal, random: Random) => number | null;
}

const FIRST_BACKOFF_SECONDS = 1;
const LONGEST_BACKOFF_SECONDS = 60;

/** Waits 1, 2, 4, … 60 s, of which up to half is left out at random. */
function backOffSeconds(inARow: number, random: Random, first = FIRST_BACKOFF_SECONDS): number {
  const whole = Math.min(LONGEST_BACKOFF_SECONDS, first * 2 ** Math.min(inARow - 1, 30));
  return whole * (1 - random() / 2);
}

/** Waits as long as Retry-After says, and backs off if nothing says how long. */
export const exactPolicy: ClientPolicy = {
  name: 'exact',
  title: 'waits exactly as long as Retry-After says',
  wait: ({ retryAfterSeconds, inARow }, random) => retryAfterSeconds ?? backOffSeconds(inARow, random),
};

/** Adds a random time to Retry-After: up to a share of it. */
export function jitterByShare(share: number): ClientPolicy {
  const percent = `${Number((share * 100).toPrecision(3))}%`;
  return {
    name: `jitter:${percent}`,
    title: `adds up to ${percent} to Retry-After, at random`,
    wait: ({ retryAfterSeconds, inARow }, random) =>
      retryAfterSeconds === null
        ? backOffSeconds(inARow, random)
        : retryAfterSeconds * (1 + share * random()),
  };
}

/** Adds a random time to Retry-After: up to so many seconds. */
export function jitterBySeconds(seconds: number): ClientPolicy {
  return {
    name: `jitter:${seconds}s`,
    title: `adds up to ${seconds} s to Retry-After, at random`,
    wait: ({ retryAfterSeconds, inARow }, random) =>
      retryAfterSeconds === null ? backOffSeconds(inARow, random) : retryAfterSeconds + seconds * random(),
  };
}

/** Waits longer from refusal to refusal, whatever Retry-After says. */
export function exponential(first = FIRST_BACKOFF_SECONDS): ClientPolicy {
  return {
    name: first === FIRST_BACKOFF_SECONDS ? 'exponential' : `exponential:${first}s`,
    title: `waits ${first}, ${first * 2}, ${first * 4}, … at most ${LONGEST_BACKOFF_SECONDS} s, of which up to half is left out at random; reads no Retry-After`,
    wait: ({ inARow }, random) => backOffSeconds(inARow, random, first),
  };
}

const USUAL_HAMMERING_SECONDS = 0.1;

/** Tries again after the same short time, whatever it is told. */
export function ignores(seconds = USUAL_HAMMERING_SECONDS): ClientPolicy {
  return {
    name: seconds === USUAL_HAMMERING_SECONDS ? 'ignores' : `ignores:${seconds}s`,
    title: `tries again ${seconds} s after each refusal, whatever it says`,
    wait: () => seconds,
  };
}

/** Conforms, too. */
export const givesUpPolicy: ClientPolicy = {
  name: 'gives-up',
  title: 'stops at the first refusal',
  wait: () => null,
};
