import { BAN_STATUSES } from '../../contract/bans.ts';
import type { LimitWindow } from '../../contract/load-result.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import { listInventory } from '../../suites/target/index.ts';
import { measure } from '../measuring/measure.ts';
import { keyed } from '../measuring/load-mix.ts';
import { EMPTY_RESULT, type LoadScenario, NotPossible } from '../scenario.ts';

const KEYS = 20;
const LEFT_TODAY = 30;
const BEYOND = 6;
const PER_KEY = LEFT_TODAY + BEYOND;

/** Many keys reach the end of their day at the same time, each within its minute; the oracle judges what each is granted. */
export const dayLimit: LoadScenario = {
  id: 'day-limit',
  title: 'Many keys at once get exactly what is left of their per-day limit',
  uses: ['rate', 'connections', 'seed'],
  defaults: { rate: 400 },
  thresholds: ['errors<0.1%'],
  mayBan: true,
  announce: () => KEYS * PER_KEY + 10,
  run: async (context) => {
    const { session, listener } = context;
    const { rate, connections, seed } = context.parameters;
    if (!session.issues) {
      throw new NotPossible(
        'This needs a control URL that issues keys with requests made today; `verify --long` uses up a whole day in real time.',
      );
    }
    const usedToday = PLAN_LIMITS.free.perDay - LEFT_TODAY;
    const keys = await Promise.all(
      Array.from({ length: KEYS }, () => session.issue('free', null, usedToday)),
    );
    const tallies = new Map<Key | null, { accepted: number; refused: number }>(
      keys.map((key) => [key, { accepted: 0, refused: 0 }]),
    );
    const seconds = (KEYS * PER_KEY) / rate;
    listener.onPhase(`${KEYS} keys use up their day`, seconds);
    const { measurement } = await measure(
      context,
      {
        model: 'open',
        stages: [{ from: rate, to: rate, seconds }],
        process: 'constant',
        seed,
        connections,
        mix: keys.map((key) => keyed(listInventory(), key)),
      },
      {
        warmUpMilliseconds: 0,
        expectsRefusals: true,
        ignoresTime: true,
        onResponse: ({ request, status }) => {
          const tally = tallies.get(request.key);
          if (tally !== undefined) {
            tally.accepted += status >= 200 && status < 300 ? 1 : 0;
            // Any other answer may have been counted or not.
            tally.refused += BAN_STATUSES.has(status) ? 1 : 0;
          }
        },
      },
    );
    const windows = keys.map((key): LimitWindow => {
      const { accepted, refused } = tallies.get(key) ?? { accepted: 0, refused: 0 };
      return {
        key: key.label,
        plan: key.plan,
        window: 'day',
        limit: LEFT_TODAY,
        sent: PER_KEY,
        accepted,
        refused,
        lost: Math.max(0, PER_KEY - accepted - refused),
      };
    });
    return { ...EMPTY_RESULT, measurements: [measurement], windows };
  },
};
