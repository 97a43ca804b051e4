import { DAY_SECONDS, type PlanLimits } from '../../../contract/plans.ts';
import { countAccepted } from '../provoking/burst.ts';
import { BAN_LIMITS, CONTINUED, endsAfterBan } from '../provoking/complete-ban.ts';
import { agreedKey } from '../provoking/use-up.ts';
import type { AcceptedForms } from '../provoking/accepted-forms.ts';
import { TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import { listInventory } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';
import { needsOfIssuedKeys } from '../check.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

// A day that the minutes after a ban use up.
const LIMITS: PlanLimits = { ...BAN_LIMITS, perDay: 20 };
const REST_SECONDS = 2 * DAY_SECONDS + DAY_SECONDS / 2;

/** What a key was granted before a ban counts on its day after it. */
export const dayAfterBan = checkAfter({
  id: 'day-after-ban',
  after: acceptedForms,
  title: 'A ban does not renew the day',
  judges: ['day-limit-enterprise'],
  alsoJudges: ['ban-ends', 'ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: needsOfIssuedKeys([agreedKey(LIMITS, 2 * (LIMITS.perDay + CONTINUED + 40), 'ban')]),
  run: async (context, forms) => {
    const key = context.key();
    if (await isGrantedBeyond(context, key, forms)) {
      // A day that is aligned to the clock may have ended meanwhile, but not at another time of another day.
      await context.sleep(REST_SECONDS, 'another time of another day');
      await isGrantedBeyond(context, key, forms);
    }
  },
});

/** Whether more than the day has was granted, though a ban lay between. */
async function isGrantedBeyond(context: CheckContext, key: Key, forms: AcceptedForms): Promise<boolean> {
  const before = key.usage.accepted;
  if (!(await endsAfterBan(context, key, forms))) {
    return false;
  }
  const isBeyond = (): boolean => key.usage.accepted - before > LIMITS.perDay;
  while (!isBeyond()) {
    await context.sleep(TWO_WINDOWS_SECONDS, `a fresh minute of ${key.label}`);
    const messages = Array.from({ length: LIMITS.perMinute }, () => listInventory());
    const answers = await context.sendAll(messages, key, LIMITS.perMinute);
    if (countAccepted(answers) < LIMITS.perMinute) {
      break;
    }
  }
  return isBeyond();
}
