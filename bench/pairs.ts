/** Two windows, one right after the other. */
export interface Pair<Sample> {
  readonly reference: Sample;
  readonly other: Sample;
}

/** Measures both sides in turn, after one window of each that is thrown away. */
export async function measurePairs<Sample>(
  count: number,
  measureReference: () => Promise<Sample>,
  measureOther: () => Promise<Sample>,
): Promise<readonly Pair<Sample>[]> {
  await measureOther();
  await measureReference();
  const pairs: Pair<Sample>[] = [];
  while (pairs.length < count) {
    // Every other pair the other way round, so that neither side always comes first.
    if (pairs.length % 2 === 0) {
      const reference = await measureReference();
      pairs.push({ reference, other: await measureOther() });
    } else {
      const other = await measureOther();
      pairs.push({ reference: await measureReference(), other });
    }
  }
  return pairs;
}
