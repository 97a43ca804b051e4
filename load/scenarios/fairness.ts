import { BAN_STATUSES } from '../../contract/bans.ts';
import { measureStages, measure, maxRequestsOf, type Measured } from '../measuring/measure.ts';
import { keyed } from '../measuring/load-mix.ts';
import { NotPossible, EMPTY_RESULT, type LoadScenario, type ScenarioContext } from '../scenario.ts';
import { listInventory } from '../../suites/target/index.ts';
import { accuseResponse } from '../judging/exchange-of-response.ts';

const HAMMER_CONNECTIONS = 50;

/** One key is hammered far beyond its limit; the others are served as before, and as fast. */
export const fairness: LoadScenario = {
  id: 'fairness',
  title: 'One key is hammered beyond its limit; the others are not affected',
  isUsual: true,
  uses: ['rate', 'duration', 'rampUp', 'connections', 'arrivals', 'writes', 'maxRate', 'seed'],
  defaults: { rate: 100, duration: 5, rampUp: 0.5 },
  thresholds: ['p99<100ms', 'errors<0.1%', 'refused==0%'],
  mayBan: true,
  announce: ({ rate, duration, rampUp, maxRate }) =>
    2 * maxRequestsOf([{ from: rate, to: rate, seconds: duration }], rampUp) +
    Math.ceil((duration + rampUp) * maxRate),
  run: async (context) => {
    const { session, parameters, listener } = context;
    const { duration, rate, maxRate } = parameters;
    if (!session.issues) {
      throw new NotPossible(
        'This needs a control URL that issues keys, so that none of your keys is hammered.',
      );
    }
    const hammered = await session.issue('free', null);
    const hammering = keyed(listInventory(), hammered);
    listener.onPhase('the others alone', duration);
    const alone = await measureWitnesses(context);
    listener.onPhase('the others, and one key hammered', duration);
    const [beside, hammer] = await Promise.all([
      measureWitnesses(context, (response) => {
        if (BAN_STATUSES.has(response.status)) {
          const message = `${response.request.key?.label} was answered ${response.status} while ${hammered.label} was hammered.`;
          accuseResponse(session.client, 'keys-independent-at-limit', message, response);
        }
      }),
      measure(
        context,
        {
          model: 'closed',
          connections: HAMMER_CONNECTIONS,
          seconds: duration + parameters.rampUp,
          maxRate: Math.max(1, maxRate - rate),
          source: 'made',
          next: () => hammering,
        },
        { warmUpMilliseconds: 0, expectsRefusals: true },
      ),
    ]);
    if (beside.measurement.answered > 0) {
      session.judgements.pass('load', 'keys-independent-at-limit');
    }
    return {
      ...EMPTY_RESULT,
      measurements: [beside.measurement],
      notes: [
        describeChange(alone, beside),
        `${hammered.label} sent ${hammer.measurement.sent} requests: ${describeStatuses(hammer.measurement.statuses)}.`,
        ...beside.notes,
      ],
    };
  },
};

function measureWitnesses(
  context: ScenarioContext,
  onResponse?: Parameters<typeof measure>[2]['onResponse'],
): Promise<Measured> {
  const { rate, duration } = context.parameters;
  return measureStages(context, [{ from: rate, to: rate, seconds: duration }], {
    expectsRefusals: true,
    ...(onResponse === undefined ? {} : { onResponse }),
  });
}

function describeChange(alone: Measured, beside: Measured): string {
  return `The p99 of the others was ${p99Of(alone)} ms alone and ${p99Of(beside)} ms beside the hammered key.`;
}

function p99Of({ measurement }: Measured): string {
  return (measurement.responseTime.p99 ?? 0).toFixed(1);
}

function describeStatuses(statuses: Readonly<Record<string, number>>): string {
  return Object.entries(statuses)
    .map(([status, count]) => `${count} answered ${status}`)
    .join(', ');
}
