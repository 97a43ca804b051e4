import { testChecks } from './judge-scripted.test-data.ts';
import { secondBan } from './second-ban.ts';

testChecks(
  [secondBan],
  [
    [
      'ban-ends',
      'the second lasts longer than Retry-After says',
      (_rules, world) => {
        const firstEnds = world.now + 310;
        return { retryAfter: (seconds) => (world.now < firstEnds ? seconds : Math.min(seconds, 90)) };
      },
    ],
  ],
  () => ({ ban: { after: 5, seconds: 300, status: 403 } }),
);
