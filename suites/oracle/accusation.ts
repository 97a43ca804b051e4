import type { RequirementId } from '../../contract/requirements/index.ts';
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

/** An explanation if it holds, and else none. @param isRuledOut is asked once all is seen */
export function explainIf(
  holds: boolean,
  id: RequirementId,
  message: string,
  isRuledOut: (() => boolean) | null = null,
): readonly Explanation[] {
  return holds ? [{ id, message, ...(isRuledOut === null ? {} : { isRuledOut }) }] : [];
}
