import type { PlanLimits } from '../../../contract/plans.ts';
import type { AcceptedForms } from '../provoking/accepted-forms.ts';
import { judgeBanEnd } from '../provoking/ban-end.ts';
import { provoke, reachLimit } from '../provoking/ban-provocation.ts';
import { isAccepted, TWO_WINDOWS_SECONDS, type Key } from '../../oracle/index.ts';
import type { Lab } from '../lab.ts';
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
  run: async (lab, forms) => {
    const key = lab.key();
    if (await endsAfterBan(lab, key, forms)) {
      await lab.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
      await endsAfterBan(lab, key, forms);
    }
  },
});

/** Whether the key was banned, and accepted when the ban was over. */
async function endsAfterBan(lab: Lab, key: Key, forms: AcceptedForms): Promise<boolean> {
  const refusal = await reachLimit(lab, key, forms);
  const sign = refusal?.response.status === 429 ? await provoke(lab, key, refusal, CONTINUED) : 'no ban';
  if (typeof sign === 'string') {
    lab.skip('ban-ends', `The target did not ban ${key.label} within ${CONTINUED} continued requests.`);
    return false;
  }
  const last = await lab.send(listInventory(), { key });
  if (isAccepted(last)) {
    return true;
  }
  const end = await judgeBanEnd(lab, key, last, sign.exchange);
  return end !== null && isAccepted(end);
}
