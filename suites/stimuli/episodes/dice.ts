import { seededRandom } from '../../../contract/seeded-random.ts';

/** What episodes are drawn with; the same seed draws the same ones. */
interface Dice {
  /** A whole number between two, both among them. */
  readonly between: (least: number, most: number) => number;
  /** The place of the next entry of a corpus, so that each comes in its turn. */
  readonly next: (corpus: string) => number;
}

/** Draws a value. */
export type Draw<Value> = (dice: Dice) => Value;

// More than any corpus has entries.
const SEED_STEPS = 1_009;

/** @param seed decides which entries come first, too */
export function openDice(seed: number): Dice {
  const random = seededRandom(seed);
  const taken = new Map<string, number>();
  return {
    between: (least, most) => least + Math.floor(random() * (most + 1 - least)),
    next: (corpus) => {
      const entry = taken.get(corpus) ?? seed % SEED_STEPS;
      taken.set(corpus, entry + 1);
      return entry;
    },
  };
}

/** The entry at a place, which may be beyond the last. */
export function entryAt<Entry>(entries: readonly Entry[], place: number): Entry {
  const entry = entries[place % entries.length];
  if (entry === undefined) {
    throw new Error('A corpus is empty');
  }
  return entry;
}

/** A whole number between two, both among them. */
export function between(least: number, most: number): Draw<number> {
  return (dice) => dice.between(least, most);
}

/** One of several values, each as likely. */
export function anyOf<const Value>(...values: readonly Value[]): Draw<Value> {
  return (dice) => entryAt(values, dice.between(0, values.length - 1));
}

/** One of several draws, each as often as its weight says. */
export function weighted<Value>(
  ...choices: readonly (readonly [weight: number, draw: Draw<Value>])[]
): Draw<Value> {
  const draw = anyOf(...choices.flatMap(([weight, one]) => Array.from({ length: weight }, () => one)));
  return (dice) => draw(dice)(dice);
}

/** So many, or between two numbers of them. */
export function several<Value>(draw: Draw<Value>, least: number, most = least): Draw<readonly Value[]> {
  return (dice) => Array.from({ length: dice.between(least, most) }, () => draw(dice));
}

/** So many of these, in any order. */
export function shuffled<Value>(values: readonly Value[], count = values.length): Draw<readonly Value[]> {
  return (dice) => {
    const left = [...values];
    return Array.from({ length: count }, () => left.splice(dice.between(0, left.length - 1), 1)).flat();
  };
}
