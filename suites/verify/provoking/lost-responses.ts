import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Exchange } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';

/**
 * Judges what requests that got no response may explain: each may have been counted, or refused. If it does not
 * hold and there were such requests it is left open.
 * @param lostResponses how many requests got no response
 * @returns `holds`
 */
export function judgeUnlessResponsesLost(
  context: CheckContext,
  lostResponses: number,
  id: RequirementId,
  holds: boolean,
  message: string,
  exchange?: Exchange,
): boolean {
  if (!holds && lostResponses > 0) {
    context.inconclusive(
      id,
      `${message} ${howMany(lostResponses)} without a response may explain it.`,
      exchange,
    );
    return false;
  }
  return context.judge(id, holds, message, exchange);
}

/** Judges that as many requests were granted as were due; each without a response may have been granted as well. */
export function judgeGranted(
  context: CheckContext,
  { granted, due, lostResponses }: { granted: number; due: number; lostResponses: number },
  id: RequirementId,
  message: string,
  exchange?: Exchange,
): void {
  const explains = granted < due && granted + lostResponses >= due;
  judgeUnlessResponsesLost(context, explains ? lostResponses : 0, id, granted === due, message, exchange);
}

function howMany(requests: number): string {
  return requests === 1 ? 'A request' : `${requests} requests`;
}
