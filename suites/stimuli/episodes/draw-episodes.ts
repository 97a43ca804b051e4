import { openDice, anyOf, type Draw } from './dice.ts';
import type { Episode } from './episode.ts';
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
const ROUND: readonly Draw<Episode>[] = [
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
  patience(anyOf(3, 4, 11)),
  SIMULTANEOUS,
  IMPATIENT,
  MINUTES,
  STRANGERS,
  WHATEVER,
];
/** Episodes that come in some rounds, most of them since they take many requests. */
const IN_SOME_ROUNDS: readonly (readonly [episode: Draw<Episode>, from: number, every: number])[] = [
  [DAYS_WITH_A_MINUTE, 0, 4],
  [DAYS_WAITED_OUT, 1, 4],
  [DAYS_AT_MIDNIGHT, 2, 4],
  [DAYS_WITH_HOURS, 3, 4],
  [wholePlan('free', 2), 0, 2],
  [HURRIED, 0, 3],
  [HURRIED_DAYS, 0, 3],
  [SLOW, 0, 3],
  [PATIENT_DAYS, 0, 4],
  [patience(() => 22), 1, 4],
  [LONG_LIST, 1, 4],
  [wholePlan('free', 1), 1, 4],
  [wholePlan('pro', 1), 1, 6],
  [A_THIRD_OF_BUSINESS, 3, 6],
  [wholePlan('business', 1), 9, 12],
];

/** The episodes of a seed, without an end; the same for the same seed. */
export function* drawEpisodes(seed: number): Generator<Episode, never> {
  const dice = openDice(seed);
  for (let round = 0; ; round += 1) {
    const added = IN_SOME_ROUNDS.flatMap(([episode, from, every]) =>
      round % every === from % every && round >= from ? [episode] : [],
    );
    for (const episode of [...ROUND, ...added]) {
      yield episode(dice);
    }
  }
}
