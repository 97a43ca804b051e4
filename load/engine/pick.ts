/** The item of a cycle at an index that may go on beyond its end. @throws {RangeError} where there is none */
export function pick<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) {
    throw new RangeError('There is nothing to send');
  }
  return item;
}
