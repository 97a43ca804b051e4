import { DAY_SECONDS } from '../../../contract/plans.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { dayAfterBan } from './day-after-ban.ts';

testChecks(
  [dayAfterBan],
  [
    [
      'day-limit-enterprise',
      'what a key was granted is forgotten with its ban',
      (_rules, world) => {
        // A key is used on two days, and banned on each.
        const seen = new Map<string, { began: number; latest: number }>();
        return {
          countedAs: ({ secret }) => {
            const day = seen.get(secret);
            const isAnother = day === undefined || world.now > day.latest + DAY_SECONDS;
            const began = isAnother ? world.now : day.began;
            seen.set(secret, { began, latest: world.now });
            return world.now > began + 310 ? `${secret} after its ban at ${began}` : `${secret} at ${began}`;
          },
        };
      },
    ],
  ],
  () => ({ ban: { after: 5, seconds: 300, status: 403 } }),
);
