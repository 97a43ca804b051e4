import { seededRandom } from '../arrivals.ts';
import { keysForLoad } from '../load-keys.ts';
import { measure, requestsOf, withRampUp, type Measured } from '../measure.ts';
import { pick } from '../pick.ts';
import { keyed, mixOf } from '../request-mix.ts';
import { NotPossible, NOTHING, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { listInventory } from '../../suites/operations.ts';
import { evidence } from '../../suites/wire.ts';
import { toExchange } from '../watch.ts';

const HAMMER_FACTOR = 5;

/** One key is hammered far beyond its limit; the others are served as before, and as fast. */
export const fairness: LoadScenario = {
  id: 'fairness',
  title: 'One key is hammered beyond its limit; the others are unharmed',
  uses: ['rate', 'duration', 'rampUp', 'connections', 'arrivals', 'writes', 'seed'],
  defaults: { rate: 100, duration: 5, rampUp: 0.5 },
  thresholds: ['p99<100ms', 'errors<0.1%', 'refused==0%'],
  mayBan: true,
  announce: ({ rate, duration, rampUp }) =>
    (2 + HAMMER_FACTOR) * requestsOf([{ from: rate, to: rate, seconds: duration }], rampUp),
  run: async (context) => {
    const { session, parameters, listener } = context;
    const { rate, duration } = parameters;
    if (!session.issues) {
      throw new NotPossible('It takes a control URL that issues keys, so that no key of yours is hammered.');
    }
    const hammered = await session.issue('free', null);
    listener.onPhase('the others alone', duration);
    const alone = await measureWitnesses(context);
    listener.onPhase('the others, and one key hammered', duration);
    const [beside, hammer] = await Promise.all([
      measureWitnesses(context, (response) => {
        if (response.status === 429 || response.status === 401 || response.status === 403) {
          const message = `${response.request.key?.label} was answered ${response.status} while ${hammered.label} was hammered.`;
          session.judgements.fail(
            'load',
            'keys-independent-at-limit',
            evidence(session.wire, message, toExchange(session, response)),
          );
        }
      }),
      measure(
        context,
        {
          model: 'open',
          stretches: [
            { from: HAMMER_FACTOR * rate, to: HAMMER_FACTOR * rate, seconds: duration + parameters.rampUp },
          ],
          process: 'constant',
          random: seededRandom(parameters.seed),
          connections: parameters.connections,
          request: () => keyed(listInventory(), { ...hammered, limits: { perMinute: 60, perDay: 1_000 } }),
        },
        { warmUpMilliseconds: 0, expectsRefusals: true },
      ),
    ]);
    if (beside.measurement.answered > 0) {
      session.judgements.pass('load', 'keys-independent-at-limit');
    }
    return {
      ...NOTHING,
      measurements: [beside.measurement],
      notes: [
        describeChange(alone, beside),
        `${hammered.label} sent ${hammer.measurement.sent} requests: ${describeStatuses(hammer.measurement.statuses)}.`,
        ...beside.notes,
      ],
    };
  },
};

async function measureWitnesses(
  context: ScenarioContext,
  onResponse?: Parameters<typeof measure>[2]['onResponse'],
): Promise<Measured> {
  const { session, parameters } = context;
  const { rate, duration, rampUp, arrivals, connections, seed, writes } = parameters;
  const keys = await keysForLoad(session, rate * 60);
  const mix = mixOf(session, keys.cycle, writes);
  const { stretches, warmUpMilliseconds } = withRampUp([{ from: rate, to: rate, seconds: duration }], rampUp);
  return measure(
    context,
    {
      model: 'open',
      stretches,
      process: arrivals,
      random: seededRandom(seed),
      connections,
      request: (index) => pick(mix, index),
    },
    { warmUpMilliseconds, expectsRefusals: true, ...(onResponse === undefined ? {} : { onResponse }) },
  );
}

function describeChange(alone: Measured, beside: Measured): string {
  const of = ({ measurement }: Measured): string => (measurement.responseTime.p99 ?? 0).toFixed(1);
  return `The p99 of the others was ${of(alone)} ms alone and ${of(beside)} ms beside the hammered key.`;
}

export function describeStatuses(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${count} answered ${status}`)
    .join(', ');
}
