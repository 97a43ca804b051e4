import type { PlanLimits } from '../../../contract/plans.ts';
import type { AcceptedForms } from '../provoking/accepted-forms.ts';
import { judgeBanEnd } from '../provoking/ban-end.ts';
import { provokeBan, reachLimit } from '../provoking/ban-provocation.ts';
import { isAccepted, TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';
import { listInventory } from '../../target/index.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

const AGREED: PlanLimits = { perMinute: 4, perDay: 900 };
const CONTINUED = 24;
// The limit, what may be granted beyond it, and what is sent to see the end of the ban.
const REQUESTS_PER_BAN = 3 * AGREED.perMinute + 6 + CONTINUED + 16;

/** Bans one key twice: the second ban may last longer, but it ends as well. */
export const secondBan = checkAfter({
  id: 'second-ban',
  after: acceptedForms,
  title: 'A second ban of the same key ends as well',
  judges: ['ban-ends'],
  alsoJudges: ['ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [{ plan: 'enterprise', use: 'ban', requests: 2 * REQUESTS_PER_BAN, agree: AGREED }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context, forms) => {
    const key = context.key();
    if (await endsAfterBan(context, key, forms)) {
      await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
      await endsAfterBan(context, key, forms);
    }
  },
});

/** Whether the key was banned, and accepted when the ban was over. */
async function endsAfterBan(context: CheckContext, key: Key, forms: AcceptedForms): Promise<boolean> {
  const refusal = await reachLimit(context, key, forms);
  const sign =
    refusal?.response.status === 429 ? await provokeBan(context, key, refusal, CONTINUED) : 'no ban';
  if (typeof sign === 'string') {
    context.skip('ban-ends', `The target did not ban ${key.label} within ${CONTINUED} continued requests.`);
    return false;
  }
  const last = await context.send(listInventory(), { key });
  if (isAccepted(last)) {
    return true;
  }
  const end = await judgeBanEnd(context, key, last, sign.exchange);
  return end !== null && isAccepted(end);
}
