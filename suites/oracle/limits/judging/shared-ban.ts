import { BAN_STATUSES } from '../../../../contract/bans.ts';
import type { KeyLimits } from '../key-limits.ts';
import type { JudgedAnswer, JudgingContext } from './judging-context.ts';
import { servedStatuses } from './request-form.ts';

/**
 * What a target answers in a ban, if the specification does not know it, shows when another key that was served before is
 * answered the same. A status that was seen without any ban tells nothing.
 */
export function judgeSharedBan(
  key: KeyLimits,
  { request, exchange, mayBeBanned }: JudgedAnswer,
  { context, findings: { statusesOfBans }, accuse }: JudgingContext,
): void {
  const { status } = exchange.response;
  const served = servedStatuses(request);
  if (served?.includes(status) !== false || BAN_STATUSES.has(status) || status < 400 || status >= 500) {
    return;
  }
  const seen = statusesOfBans.get(status);
  const isOver = typeof seen === 'object' && !context.mayBeBanned(seen.label);
  if (mayBeBanned) {
    if (seen === undefined || isOver) {
      statusesOfBans.set(status, { label: key.label, since: exchange.sentAt });
    }
    return;
  }
  if (typeof seen !== 'object' || isOver) {
    statusesOfBans.set(status, 'of any request');
  } else if (key.grantedAt < seen.since) {
    accuse({
      id: 'keys-independent-in-ban',
      message: `${key.label}, which had been served before, was answered ${status}, as was ${seen.label}, which had gone on after a 429.`,
      proof: [exchange],
    });
  }
}
