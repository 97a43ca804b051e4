import { expect, test } from 'vitest';

import { judgeScripted, testChecks } from './judge-scripted.test-data.ts';
import { banCheck } from './ban.ts';
import { carriedOutThough, rewriting, withField } from './target-changes.test-data.ts';
import type { TargetChange } from './scripted-target.test-data.ts';

const BAN = { after: 5, seconds: 300, status: 403 };
const banning: TargetChange = () => ({ ban: BAN });

/** While a key is banned, all are refused. */
const banningAll: TargetChange = (_rules, world) => {
  let until = 0;
  return {
    reply: (reply, _call, client) => {
      until = reply.status === BAN.status ? world.now + BAN.seconds : until;
      return client !== undefined && world.now < until ? { ...reply, status: BAN.status } : reply;
    },
  };
};

/** A refusal of one key refuses the others at that moment, too. */
const refusingAll: TargetChange = (_rules, world) => {
  let at = 0;
  return {
    reply: (reply, _call, client) => {
      at = reply.status === 429 ? world.now : at;
      return client !== undefined && world.now === at ? { ...reply, status: 429 } : reply;
    },
  };
};

testChecks(
  [banCheck],
  [
    [
      'ban-ends',
      'it lasts longer than Retry-After says',
      () => ({ retryAfter: (seconds) => Math.min(seconds, 90) }),
    ],
    [
      'ban-answer',
      'it lacks the rate limit headers',
      withField('X-RateLimit-Limit', null, ({ status }) => status === BAN.status),
    ],
    ['ban-only-after-continued', 'the first refusal bans', () => ({ ban: { ...BAN, after: 0 } })],
    [
      'limit-renews',
      'after a ban more is granted',
      ({ grants }, world) => {
        const begun = world.now;
        return {
          grants: (client, window) => grants(client, window) + (world.now > begun + BAN.seconds ? 9 : 0),
        };
      },
    ],
    ['keys-independent-in-ban', 'all keys are banned', banningAll],
    ['keys-independent-at-limit', 'a refusal of one refuses all', refusingAll],
    [
      'refusal-is-429',
      'it is 503 after a ban',
      (rules, world) => {
        const begun = world.now;
        const is503 = rewriting(
          ({ status }) => status === 429 && world.now > begun + BAN.seconds,
          () => ({ status: 503 }),
        );
        return is503(rules, world);
      },
    ],
    ['refused-changes-nothing', 'an update of a banned key is carried out', carriedOutThough(403, 429)],
  ],
  banning,
);

test('whoever is not banned comes back when the last of many refusals said so', async () => {
  let refusals = 0;
  const judged = await judgeScripted([banCheck], () => ({
    ban: null,
    retryAfter: (seconds) => {
      refusals += 1;
      return refusals > 10 ? 5 : seconds;
    },
  }));
  expect(judged.judgementOf('retry-after-honoured').outcome).toBe('fail');
});
