import { testChecks } from './judge-scripted.test-data.ts';
import { dayAfterBan } from './day-after-ban.ts';

testChecks(
  [dayAfterBan],
  [
    [
      'day-limit-enterprise',
      'what a key was granted is forgotten with its ban',
      (_rules, world) => {
        const seenAt = new Map<string, number>();
        return {
          countedAs: ({ secret }) => {
            const at = seenAt.get(secret) ?? world.now;
            seenAt.set(secret, at);
            return world.now > at + 310 ? `${secret} after its ban` : secret;
          },
        };
      },
    ],
  ],
  () => ({ ban: { after: 5, seconds: 300, status: 403 } }),
);
