import { BAN_LIMITS, CONTINUED, endsAfterBan } from '../provoking/complete-ban.ts';
import { agreedKey } from '../provoking/use-up.ts';
import { TWO_WINDOWS_SECONDS } from '../../oracle/index.ts';
import { needsOfIssuedKeys } from '../check.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

// The limit, what may be granted beyond it, and what is sent to see the end of the ban.
const REQUESTS_PER_BAN = 3 * BAN_LIMITS.perMinute + 6 + CONTINUED + 16;

// Some make the third one last for ever.
const BANS = 3;

/** Bans one key again and again: a later ban may last longer, but it ends as well. */
export const secondBan = checkAfter({
  id: 'second-ban',
  after: acceptedForms,
  title: 'A second and a third ban of the same key end as well',
  judges: ['ban-ends'],
  alsoJudges: ['ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: needsOfIssuedKeys([agreedKey(BAN_LIMITS, BANS * REQUESTS_PER_BAN, 'ban')]),
  run: async (context, forms) => {
    const key = context.key();
    for (let bans = 1; (await endsAfterBan(context, key, forms)) && bans < BANS; bans += 1) {
      await context.sleep(TWO_WINDOWS_SECONDS, `a fresh window of ${key.label}`);
    }
  },
});
