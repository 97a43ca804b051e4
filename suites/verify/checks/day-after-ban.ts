import { countAccepted } from '../provoking/burst.ts';
import { BAN_LIMITS, CONTINUED, endsAfterBan } from '../provoking/complete-ban.ts';
import { agreedKey } from '../provoking/use-up.ts';
import type { AcceptedForms } from '../provoking/accepted-forms.ts';
import { TWO_WINDOWS_SECONDS, type Exchange, type Key } from '../../oracle/index.ts';
import { type KeyNeed, listInventory } from '../../target/index.ts';
import type { CheckContext } from '../check-context.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

const LEFT_TODAY = 20;
// So many more show that the day is not limited by what was granted before the ban.
const BEYOND = 3;
const HALF_A_DAY_SECONDS = 12 * 3_600;
// Two tries of that length, half a day apart, do not both meet the end of one day.
const LONGEST_TRY_MILLISECONDS = 4 * 3_600_000;

const NEED: KeyNeed = {
  ...agreedKey(BAN_LIMITS, 2 * (LEFT_TODAY + CONTINUED + 40), 'ban'),
  usedToday: ({ perDay }) => perDay - LEFT_TODAY,
};

/** What a key was granted before a ban counts on its day after it. */
export const dayAfterBan = checkAfter({
  id: 'day-after-ban',
  after: acceptedForms,
  title: 'A ban does not renew the day',
  judges: ['day-limit-enterprise'],
  alsoJudges: ['ban-ends', 'ban-length', 'refusal-is-429', 'minute-limit-enterprise'],
  needs: {
    profile: 'full',
    control: ['keys', 'clock'],
    keys: [NEED],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context, forms) => {
    const first = context.key();
    if ((await findGrantedBeyond(context, first, forms)) === null) {
      return;
    }
    // A day that is aligned to the clock may have ended meanwhile, but not for both keys.
    await context.sleep(HALF_A_DAY_SECONDS, 'another time of the day');
    const second = await context.issue(NEED);
    const beyond = await findGrantedBeyond(context, second, forms);
    if (beyond !== null) {
      context.fail(
        'day-limit-enterprise',
        `${first.label} and ${second.label} had ${LEFT_TODAY} requests left today, were banned, and were granted more than that.`,
        beyond,
      );
    }
  },
});

/** The answer that granted more than the day had left, though a ban lay between; `null` if there was none. */
async function findGrantedBeyond(
  context: CheckContext,
  key: Key,
  forms: AcceptedForms,
): Promise<Exchange | null> {
  const startedAt = context.now();
  if (!(await endsAfterBan(context, key, forms))) {
    return null;
  }
  const before = key.usage.accepted;
  let granted = 0;
  while (before + granted <= LEFT_TODAY + BEYOND) {
    await context.sleep(TWO_WINDOWS_SECONDS, `a fresh minute of ${key.label}`);
    const messages = Array.from({ length: BAN_LIMITS.perMinute }, () => listInventory());
    const answers = await context.sendAll(messages, key, BAN_LIMITS.perMinute);
    const accepted = countAccepted(answers);
    granted += accepted;
    const last = answers.findLast(({ response: { status } }) => status === 200);
    if (before + granted > LEFT_TODAY && last !== undefined) {
      return context.now() - startedAt < LONGEST_TRY_MILLISECONDS ? last : null;
    }
    if (accepted < BAN_LIMITS.perMinute) {
      context.judge('day-limit-enterprise', true, '');
      return null;
    }
  }
  return null;
}
