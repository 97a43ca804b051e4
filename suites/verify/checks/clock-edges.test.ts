import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import { clockEdges } from './clock-edges.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { shutOutAfter } from './target-changes.test-data.ts';

testChecks(
  [clockEdges],
  [
    [
      'minute-limit-enterprise',
      'nothing is limited in the last two seconds of a minute',
      ({ grants }, world) => ({
        grants: (client, window) =>
          world.now % MINUTE_SECONDS > MINUTE_SECONDS - 2 ? Infinity : grants(client, window),
      }),
    ],
    [
      'retry-after-honoured',
      'it ends with the day, though the window does not',
      ({ retryAfter }, world) => ({
        retryAfter: (seconds, window) =>
          Math.min(retryAfter(seconds, window), Math.ceil(DAY_SECONDS - (world.now % DAY_SECONDS))),
      }),
    ],
    ['ban-only-after-continued', 'the third 429 shuts a client out', shutOutAfter(3)],
    [
      'reset-is-near',
      'it is an hour late in the last minute of a day',
      ({ reply }, world) => ({
        reply: (answer, call, client) => {
          const { headers, ...rest } = reply(answer, call, client);
          const isLate = world.now % DAY_SECONDS > DAY_SECONDS - MINUTE_SECONDS;
          return {
            ...rest,
            headers: headers.map(([name, value]) =>
              isLate && name === 'X-RateLimit-Reset' ? [name, `${Number(value) + 3_600}`] : [name, value],
            ),
          };
        },
      }),
    ],
  ],
);
