import type { LoadParameters } from '../../contract/load-parameters.ts';
import { medianOf } from '../../contract/quantile.ts';
import { peakRateOf, totalSeconds, type RateStage } from '../engine/arrivals.ts';
import { measureStages, maxRequestsOf, type Measured } from '../measuring/measure.ts';
import { EMPTY_RESULT, type LoadScenario, type ScenarioContext, type ScenarioResult } from '../scenario.ts';

/** Measures once per round. @param seconds of a round */
export async function measureRounds(
  { parameters: { rounds }, signal, listener }: ScenarioContext,
  seconds: number,
  measureRound: (round: number) => Promise<Measured>,
): Promise<readonly Measured[]> {
  const measured: Measured[] = [];
  for (let round = 1; round <= rounds && !signal.aborted; round += 1) {
    listener.onPhase(rounds === 1 ? 'measuring' : `round ${round} of ${rounds}`, seconds);
    const one = await measureRound(round);
    measured.push(one);
    if (one.isUsedUp) {
      break;
    }
  }
  return measured;
}

const SILENCED =
  'At the end, the last request of each connection was lost, so that nothing more was sent: whether the target still answers is not known.';

export function resultOf(measured: readonly Measured[], notes: readonly string[] = []): ScenarioResult {
  return {
    ...EMPTY_RESULT,
    measurements: measured.map(({ measurement }) => measurement),
    notes: [
      ...notes,
      ...measured.flatMap((one, index) =>
        one.notes.map((note) => (measured.length === 1 ? note : `Round ${index + 1}: ${note}`)),
      ),
    ],
    inconclusive: measured.some(({ isSilenced }) => isSilenced) ? SILENCED : null,
  };
}

function steady(parameters: LoadParameters): readonly RateStage[] {
  return [{ from: parameters.rate, to: parameters.rate, seconds: parameters.duration }];
}

const USES = [
  'rate',
  'duration',
  'rampUp',
  'connections',
  'threads',
  'arrivals',
  'writes',
  'rounds',
  'seed',
] as const;

function scenarioOf(
  scenario: Pick<LoadScenario, 'id' | 'title' | 'isUsual' | 'defaults' | 'thresholds'>,
  stagesOf: (parameters: LoadParameters) => readonly RateStage[],
  notesOf: (measured: readonly Measured[], parameters: LoadParameters) => readonly string[] = () => [],
): LoadScenario {
  return {
    ...scenario,
    divisible: true,
    uses: USES,
    announce: (parameters) => parameters.rounds * maxRequestsOf(stagesOf(parameters), parameters.rampUp),
    peakRate: (parameters) => peakRateOf(stagesOf(parameters)),
    run: async (context) => {
      const { parameters } = context;
      const stages = stagesOf(parameters);
      const measured = await measureRounds(context, parameters.rampUp + totalSeconds(stages), (round) =>
        measureStages(context, stages, { seed: parameters.seed + round - 1 }),
      );
      return resultOf(measured, notesOf(measured, parameters));
    },
  };
}

export const latency = scenarioOf(
  {
    id: 'latency',
    title: 'Response time at a fixed rate',
    isUsual: true,
    defaults: { rate: 200, duration: 10 },
    thresholds: ['p99<100ms', 'errors<0.1%', 'rate>=99%'],
  },
  steady,
);

export const ramp = scenarioOf(
  {
    id: 'ramp',
    title: 'A rate that climbs from a tenth of --rate to all of it',
    defaults: { rate: 1_000, duration: 20 },
    thresholds: ['errors<0.1%', 'rate>=99%'],
  },
  ({ rate, duration }) => [{ from: rate / 10, to: rate, seconds: duration }],
);

const SPIKE_FACTOR = 10;

export const spike = scenarioOf(
  {
    id: 'spike',
    title: 'A sudden crowd: ten times the rate for a fifth of the time',
    defaults: { rate: 100, duration: 15 },
    thresholds: ['errors<0.1%'],
  },
  ({ rate, duration }) => [
    { from: rate, to: rate, seconds: 0.3 * duration },
    { from: SPIKE_FACTOR * rate, to: SPIKE_FACTOR * rate, seconds: 0.2 * duration },
    { from: rate, to: rate, seconds: 0.5 * duration },
  ],
  (measured, { duration }) =>
    measured.flatMap(({ measurement }) => recoveryOf(measurement.seconds, duration) ?? []),
);

const CALM_FACTOR = 2;
const CALM_MILLISECONDS = 5;

/** How long after the spike the response time is as it was before it; `null` if no whole second shows one of them. */
export function recoveryOf(seconds: Measured['measurement']['seconds'], duration: number): string | null {
  const before = seconds.slice(0, Math.floor(0.3 * duration)).flatMap(({ p99 }) => p99 ?? []);
  const ended = 0.5 * duration;
  if (before.length === 0 || !seconds.some(({ second, p99 }) => second >= ended && p99 !== null)) {
    return null;
  }
  const usual = medianOf(before);
  const calm = seconds.find(
    ({ second, p99 }) =>
      second >= ended && p99 !== null && p99 <= Math.max(CALM_FACTOR * usual, usual + CALM_MILLISECONDS),
  );
  return calm === undefined
    ? 'The response time did not recover after the spike.'
    : `The response time recovered within ${Math.max(1, Math.ceil(calm.second - ended) + 1)} s after the spike.`;
}

export const soak = scenarioOf(
  {
    id: 'soak',
    title: 'A moderate rate for a long time, to find leaks and slowdowns',
    defaults: { rate: 100, duration: 600 },
    thresholds: ['p99<100ms', 'errors<0.1%', 'rate>=99%'],
  },
  steady,
  (measured) => measured.flatMap(({ measurement }) => driftOf(measurement.seconds) ?? []),
);

/** The response time of the last quarter beside that of the first; `null` if they are the same seconds. */
function driftOf(seconds: Measured['measurement']['seconds']): string | null {
  const p99s = seconds.flatMap(({ p99 }) => p99 ?? []);
  if (p99s.length < 2) {
    return null;
  }
  const quarter = Math.max(1, Math.floor(p99s.length / 4));
  const first = medianOf(p99s.slice(0, quarter));
  const last = medianOf(p99s.slice(-quarter));
  return `The p99 of a second was ${first.toFixed(1)} ms in the first quarter and ${last.toFixed(1)} ms in the last.`;
}
