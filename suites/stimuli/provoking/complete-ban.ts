import type { PlanLimits } from '../../../contract/plans.ts';
import { isAccepted, type Key } from '../../oracle/index.ts';
import { listInventory } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';
import type { AcceptedForms } from './accepted-forms.ts';
import { waitOutBan } from './ban-end.ts';
import { provokeBan, reachLimit } from './ban-provocation.ts';

/** Agreed limits so small that several bans are cheap. */
export const BAN_LIMITS: PlanLimits = { perMinute: 4, perDay: 900 };

/** Requests beyond the limit before a target is taken for one that does not ban. */
export const CONTINUED = 24;

/**
 * Provokes a ban and waits for its end.
 * @returns whether the key was banned, and accepted when the ban was over
 */
export async function endsAfterBan(context: CheckContext, key: Key, forms: AcceptedForms): Promise<boolean> {
  const refusal = await reachLimit(context, key, forms);
  const sign =
    refusal?.response.status === 429
      ? await provokeBan(context, key, refusal, { most: CONTINUED })
      : 'no ban';
  if (typeof sign === 'string') {
    context.notProvoked(
      'ban-ends',
      `The target did not ban ${key.label} within ${CONTINUED} continued requests.`,
    );
    return false;
  }
  const last = await context.send(listInventory(), { key });
  if (isAccepted(last)) {
    return true;
  }
  const end = await waitOutBan(context, key, last, sign.exchange);
  return end !== null && isAccepted(end);
}
