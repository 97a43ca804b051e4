import * as fc from 'fast-check';
import type { Episode } from './episode.ts';
import { openCorpusAssigner } from './assign-corpus-entries.ts';
import { BODIES, ENTRY, LONG_LIST, PETS, REVOKED, SIMULTANEOUS, STRANGERS } from './themes-of-requests.ts';
import {
  A_THIRD_OF_BUSINESS,
  CROWDS,
  FORMS,
  HURRIED,
  MINUTES,
  SLOW,
  wholePlan,
} from './themes-of-minutes.ts';
import {
  DAYS_AT_MIDNIGHT,
  DAYS_WAITED_OUT,
  DAYS_WITH_A_MINUTE,
  DAYS_WITH_HOURS,
  HURRIED_DAYS,
  PATIENT_DAYS,
} from './themes-of-days.ts';
import { IMPATIENT, patience } from './themes-of-bans.ts';
import { MANY_KEYS, WHATEVER } from './themes-of-several-keys.ts';

/** Themes of a round, each of which comes once or twice. */
const ROUND = fc.tuple(
  ENTRY,
  BODIES,
  FORMS,
  STRANGERS,
  MINUTES,
  IMPATIENT,
  PETS,
  MANY_KEYS,
  CROWDS,
  REVOKED,
  FORMS,
  ENTRY,
  patience(fc.constantFrom(3, 4, 11)),
  SIMULTANEOUS,
  IMPATIENT,
  MINUTES,
  STRANGERS,
  WHATEVER,
);
/** Episodes that come in some rounds, most of them since they take many requests. */
const IN_SOME_ROUNDS: readonly (readonly [episode: fc.Arbitrary<Episode>, from: number, every: number])[] = [
  [DAYS_WITH_A_MINUTE, 0, 4],
  [DAYS_WAITED_OUT, 1, 4],
  [DAYS_AT_MIDNIGHT, 2, 4],
  [DAYS_WITH_HOURS, 3, 4],
  [wholePlan('free', 2), 0, 2],
  [HURRIED, 0, 3],
  [HURRIED_DAYS, 0, 3],
  [SLOW, 0, 3],
  [PATIENT_DAYS, 0, 4],
  [patience(fc.constant(22)), 1, 4],
  [LONG_LIST, 1, 4],
  [wholePlan('free', 1), 1, 4],
  [wholePlan('pro', 1), 1, 6],
  [A_THIRD_OF_BUSINESS, 3, 6],
  [wholePlan('business', 1), 9, 12],
];

/** Themes that need neither keys nor an inventory of their own. */
const CAREFUL_ROUND = fc.tuple(ENTRY, STRANGERS, BODIES, SIMULTANEOUS);

/** Episodes for a target whose limits are kept, whose time is not moved, and whose pets are put back. */
export function* drawCarefulEpisodes(seed: number): Generator<Episode, never> {
  const assign = openCorpusAssigner(seed % SEED_STEPS);
  for (let round = 0; ; round += 1) {
    yield* draw(CAREFUL_ROUND, seed, round).map(assign);
  }
}

/** The episodes of a seed, without an end; the same for the same seed. */
export function* drawEpisodes(seed: number): Generator<Episode, never> {
  const assign = openCorpusAssigner(seed % SEED_STEPS);
  for (let round = 0; ; round += 1) {
    yield* draw(ROUND, seed, round).map(assign);
    for (const [episode, from, every] of IN_SOME_ROUNDS) {
      if (round % every === from % every && round >= from) {
        yield assign(draw(episode, seed, round));
      }
    }
  }
}

// More than any corpus has entries.
const SEED_STEPS = 1_009;
// Far enough apart that rounds of neighbouring seeds differ.
const ROUND_STRIDE = 0x9e37_79b1;

function draw<Value>(arbitrary: fc.Arbitrary<Value>, seed: number, round: number): Value {
  const [value] = fc.sample(arbitrary, {
    seed: (seed + Math.imul(round + 1, ROUND_STRIDE)) | 0,
    numRuns: 1,
    unbiased: true,
  });
  if (value === undefined) {
    throw new Error('fast-check drew nothing');
  }
  return value;
}
