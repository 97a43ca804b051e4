import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Exchange } from '../../oracle/index.ts';
import type { Lab } from '../lab.ts';

/**
 * Judges what requests that got no response may explain: each may have been counted, or refused. Where it does not
 * hold and there were such requests it is left open.
 * @param unanswered how many requests got no response
 * @returns `holds`
 */
export function judgeUnlessUnanswered(
  lab: Lab,
  unanswered: number,
  id: RequirementId,
  holds: boolean,
  message: string,
  exchange?: Exchange,
): boolean {
  if (!holds && unanswered > 0) {
    lab.inconclusive(id, `${message} ${howMany(unanswered)} without a response may explain it.`, exchange);
    return false;
  }
  return lab.judge(id, holds, message, exchange);
}

/** Judges that as many requests were granted as were due; each without a response may have been granted as well. */
export function judgeGranted(
  lab: Lab,
  { granted, due, unanswered }: { granted: number; due: number; unanswered: number },
  id: RequirementId,
  message: string,
  exchange?: Exchange,
): void {
  const explains = granted < due && granted + unanswered >= due;
  judgeUnlessUnanswered(lab, explains ? unanswered : 0, id, granted === due, message, exchange);
}

function howMany(requests: number): string {
  return requests === 1 ? 'A request' : `${requests} requests`;
}
