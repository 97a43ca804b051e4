import type { Exchange } from './exchange.ts';
import type { Accusation } from './history-monitor.ts';
import type { Explanation } from '../../contract/verdict.ts';

/** An accusation by the likeliest explanation, with the other ones. Of several by one requirement the first stands. */
export function accusationOf(
  proof: readonly Exchange[],
  likeliest: Explanation,
  ...further: readonly Explanation[]
): Accusation {
  const others = further.filter(
    ({ id }, index) => id !== likeliest.id && further.findIndex((other) => other.id === id) === index,
  );
  return { ...likeliest, proof, ...(others.length === 0 ? {} : { others }) };
}
