import { MINUTE_SECONDS } from '../../../../contract/plans.ts';
import type { RequirementId } from '../../../../contract/requirements/index.ts';
import type { Explanation } from '../../../../contract/verdict.ts';
import type { Accusation } from '../../history-monitor.ts';
import { reworded } from '../../judgements/explanations.ts';

// So long a window may still hold what went wrong.
const AFTERMATH_MILLISECONDS = 2.5 * MINUTE_SECONDS * 1000;

// Of what is wrong about a single answer nothing follows.
const LASTS = /^(?:minute-limit-|day-limit-|limit-|keys-independent-)/;
const FOLLOWS = /^(?:minute-limit-|day-limit-|limit-|keys-independent-|remaining-falls)/;

/**
 * Little is known of a key after what cannot be explained, so that what is said of it soon after may follow from the same.
 * @returns what adds that to an accusation
 */
export function followAftermath(): (accusation: Accusation) => Accusation {
  const latest = new Map<string, { readonly at: number; readonly explanations: readonly Explanation[] }>();
  return (accusation) => {
    const last = accusation.proof.at(-1);
    const label = last?.key ?? null;
    if (last === undefined || label === null || !FOLLOWS.test(accusation.id)) {
      return accusation;
    }
    const own: readonly Explanation[] = [accusation, ...(accusation.others ?? [])];
    const known = new Set<RequirementId>(own.map(({ id }) => id));
    const before = latest.get(label);
    const isSoon = before !== undefined && last.sentAt < before.at + AFTERMATH_MILLISECONDS;
    const inherited = (isSoon ? before.explanations : []).filter(
      ({ id }) =>
        LASTS.test(id) && !known.has(id) && id.startsWith('day-') === accusation.id.startsWith('day-'),
    );
    const aftermath = inherited.map((one) => reworded(one, accusation.message));
    if (LASTS.test(accusation.id)) {
      latest.set(label, { at: last.receivedAt, explanations: [...own, ...aftermath] });
    }
    return aftermath.length === 0
      ? accusation
      : { ...accusation, others: [...(accusation.others ?? []), ...aftermath] };
  };
}
