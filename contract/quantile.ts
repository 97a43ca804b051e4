/**
 * A quantile, with a straight line between neighbours (type 7 of Hyndman and Fan); 0 if there is no value.
 * @param share from 0, the least, to 1, the greatest
 */
export function quantile(values: readonly number[], share: number): number {
  const ordered = values.toSorted((one, other) => one - other);
  const place = (ordered.length - 1) * share;
  const lower = ordered[Math.floor(place)] ?? 0;
  const upper = ordered[Math.ceil(place)] ?? lower;
  return lower + (upper - lower) * (place - Math.floor(place));
}

export function medianOf(values: readonly number[]): number {
  return quantile(values, 0.5);
}
