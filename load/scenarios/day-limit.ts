import type { LimitWindow } from '../../contract/load-result.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import type { Key } from '../../suites/oracle/index.ts';
import { evidence, listInventory } from '../../suites/target/index.ts';
import type { LoadRequest, LoadResponse } from '../engine/load-request.ts';
import { measure } from '../measuring/measure.ts';
import { keyed } from '../measuring/request-mix.ts';
import { NotPossible, EMPTY_RESULT, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { toExchange } from '../judging/to-exchange.ts';

const KEYS = 20;
const LEFT_TODAY = 30;
const BEYOND = 6;
// Any other answer may have been counted or not.
const REFUSALS = new Set([401, 403, 429]);
const PER_KEY = LEFT_TODAY + BEYOND;

interface Tally {
  accepted: number;
  refused: number;
  lost: number;
  last: LoadResponse | undefined;
}

/** Many keys reach the end of their day at the same time, each within its minute. */
export const dayLimit: LoadScenario = {
  id: 'day-limit',
  title: 'Many keys at once get exactly what is left of their per-day limit',
  uses: ['rate', 'connections', 'seed'],
  defaults: { rate: 400 },
  thresholds: ['errors<0.1%'],
  mayBan: true,
  announce: () => 2 * KEYS * PER_KEY + 10,
  run: async (context) => {
    if (!context.session.issues) {
      throw new NotPossible(
        'This needs a control URL that issues keys with requests made today; `verify --long` uses up a whole day in real time.',
      );
    }
    const first = await useUpDays(context);
    // Midnight may have come in between, but not twice within moments.
    const second = first.windows.some(({ accepted }) => accepted > LEFT_TODAY)
      ? await useUpDays(context)
      : first;
    for (const { window, last, key } of second.tallies) {
      const isExact = window.accepted === LEFT_TODAY;
      const mayBeLost = window.accepted < LEFT_TODAY && window.accepted + window.lost >= LEFT_TODAY;
      const message = `${key.label} had ${LEFT_TODAY} requests left of its day, and was granted ${window.accepted} of ${window.sent}.`;
      const { judgements, client } = context.session;
      if (isExact) {
        judgements.pass('load', 'day-limit-free');
      } else if (mayBeLost) {
        judgements.inconclusive('load', 'day-limit-free', evidence(client, message));
      } else {
        const shown = last === undefined ? undefined : toExchange(context.session.client, last);
        judgements.fail('load', 'day-limit-free', evidence(client, message, shown));
      }
    }
    return { ...EMPTY_RESULT, measurements: second.measurements, windows: second.windows };
  },
};

async function useUpDays(context: ScenarioContext) {
  const { session, parameters, listener } = context;
  const usedToday = PLAN_LIMITS.free.perDay - LEFT_TODAY;
  const keys = await Promise.all(Array.from({ length: KEYS }, () => session.issue('free', null, usedToday)));
  const tallies = new Map<Key, Tally>(
    keys.map((key) => [key, { accepted: 0, refused: 0, lost: 0, last: undefined }]),
  );
  const requests: readonly LoadRequest[] = keys.map((key) => keyed(listInventory(), key));
  const total = KEYS * PER_KEY;
  listener.onPhase(`${KEYS} keys use up their day`, total / parameters.rate);
  const { measurement } = await measure(
    context,
    {
      model: 'open',
      stages: [{ from: parameters.rate, to: parameters.rate, seconds: total / parameters.rate }],
      process: 'constant',
      seed: parameters.seed,
      connections: parameters.connections,
      mix: requests,
    },
    {
      warmUpMilliseconds: 0,
      expectsRefusals: true,
      ignoresTime: true,
      onResponse: (response) => {
        const tally = response.request.key === null ? undefined : tallies.get(response.request.key);
        if (tally !== undefined) {
          const isAccepted = response.status >= 200 && response.status < 300;
          tally.accepted += isAccepted ? 1 : 0;
          tally.refused += REFUSALS.has(response.status) ? 1 : 0;
          tally.last = response;
        }
      },
    },
  );
  const rows = [...tallies].map(([key, { accepted, refused, last }]) => {
    const window: LimitWindow = {
      key: key.label,
      plan: key.plan,
      window: 'day',
      limit: LEFT_TODAY,
      sent: PER_KEY,
      accepted,
      refused,
      lost: Math.max(0, PER_KEY - accepted - refused),
    };
    return { key, last, window };
  });
  return { measurements: [measurement], windows: rows.map(({ window }) => window), tallies: rows };
}
