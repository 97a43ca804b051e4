/** One part of a load that is carried by several generators; they are numbered from 0. */
export interface Share {
  readonly index: number;
  readonly of: number;
}

/** The load of a single generator. */
export const WHOLE: Share = { index: 0, of: 1 };

/** How many of indivisible things a share gets; the first ones get what is left over. */
export function countFor(total: number, { index, of }: Share): number {
  return Math.floor(total / of) + (index < total % of ? 1 : 0);
}

/** How many of indivisible things those before a share get. */
export function countBefore(total: number, { index, of }: Share): number {
  return index * Math.floor(total / of) + Math.min(index, total % of);
}

/** The items of a sequence that belong to a share, every n-th, and the number that each has in the whole. */
export function* itemsFor<Item>(
  items: Iterable<Item>,
  { index, of }: Share,
): Generator<readonly [number: number, item: Item], void, undefined> {
  let number = 0;
  for (const item of items) {
    if (number % of === index) {
      yield [number, item];
    }
    number += 1;
  }
}
