import type { CapacityStep, LimitWindow, LoadScenarioResult } from '../../contract/load-result.ts';
import type { Finding } from '../../contract/verdict.ts';
import { measurement } from './sample-measurements.test-data.ts';
import { OVER_ADMITTED } from './sample-report.test-data.ts';

/** A scenario of which nothing is known but what is said here. */
function scenario(
  id: string,
  title: string,
  known: Pick<LoadScenarioResult, 'parameters' | 'outcome' | 'announced' | 'spent' | 'durationSeconds'> &
    Partial<LoadScenarioResult>,
): LoadScenarioResult {
  return {
    id,
    title,
    reason: null,
    thresholds: [],
    findings: [],
    measurements: [],
    capacity: null,
    capacitySteps: [],
    windows: [],
    notes: [],
    ...known,
  };
}

const THROUGHPUT = scenario('throughput', 'Throughput of reads at saturation', {
  parameters: { connections: '32', duration: '20 s', rounds: '3' },
  outcome: 'pass',
  thresholds: [
    { expression: 'goodput > 5000/s', value: 7130.4, outcome: 'pass' },
    { expression: 'lost = 0', value: 0, outcome: 'pass' },
  ],
  announced: 600_000,
  spent: 427_822,
  durationSeconds: 62.4,
  measurements: [1, 2, 3].map((round) =>
    measurement({
      model: 'closed',
      durationSeconds: 20,
      rateAt: (second) => 7000 + 60 * round + 300 * Math.sin(second + round),
      medianAt: (second) => 3.6 + 0.3 * Math.cos(second / 2 + round),
      seed: round,
    }),
  ),
  notes: ['The first 5 seconds of each round were not counted.'],
});

const LATENCY = scenario('latency', 'Response time at a constant rate', {
  parameters: { rate: '500/s', arrivals: 'Poisson', duration: '60 s', mix: '9 reads to 1 write' },
  outcome: 'fail',
  thresholds: [
    { expression: 'p50 < 10 ms', value: 2.1, outcome: 'pass' },
    { expression: 'p99 < 10 ms', value: 45.7, outcome: 'fail' },
    { expression: 'p99.9 < 250 ms', value: 126.5, outcome: 'pass' },
  ],
  announced: 32_000,
  spent: 29_999,
  durationSeconds: 61.2,
  measurements: [
    measurement({
      durationSeconds: 60,
      rateAt: (second) => 500 + 18 * Math.sin(second * 2.3),
      // A pause such as a garbage collection makes.
      medianAt: (second) => (second === 23 || second === 24 ? 38 : 2.4),
      seed: 11,
      operations: ['GET /inventory', 'PATCH /inventory/{petId}'],
    }),
  ],
});

const RATES = [
  [200, true, 'step'],
  [400, true, 'step'],
  [800, true, 'step'],
  [1600, false, 'step'],
  [1200, true, 'bisect'],
  [1400, false, 'bisect'],
  [1300, true, 'bisect'],
  [1300, true, 'confirm'],
] as const;

const STEPS = RATES.map(([rate, held, phase]): CapacityStep => ({
  rate,
  achievedRate: rate <= 1300 ? rate - 0.4 : 1325,
  p99: rate <= 1300 ? 8 + (rate / 200) ** 2 : 40 + (rate - 1300) * 4,
  errorShare: held ? 0 : (rate - 1300) / 10_000,
  held,
  phase,
}));

const CAPACITY = scenario('capacity', 'Highest rate that keeps the objective', {
  parameters: { objective: 'p99 < 100 ms and errors < 0.1 %', from: '200/s', step: '10 s' },
  outcome: 'pass',
  thresholds: [{ expression: 'capacity >= 1000/s', value: 1300, outcome: 'pass' }],
  announced: 120_000,
  spent: 81_000,
  durationSeconds: 104.6,
  capacity: 1300,
  capacitySteps: STEPS,
  measurements: [
    measurement({
      durationSeconds: 30,
      rateAt: () => 1300,
      medianAt: (second) => 12 + 3 * Math.sin(second / 4),
      seed: 21,
    }),
  ],
});

const BEHIND =
  'The generator sent 212 of 41200 requests more than 10 ms late: this machine cannot keep that rate.';

const RAMP = scenario('ramp', 'A rising rate, up to beyond the capacity', {
  parameters: { from: '50/s', to: '2000/s', duration: '40 s' },
  outcome: 'inconclusive',
  reason: BEHIND,
  thresholds: [{ expression: 'errors < 1 %', value: 0.2, outcome: 'inconclusive' }],
  announced: 45_000,
  spent: 41_200,
  durationSeconds: 43,
  measurements: [
    measurement({
      durationSeconds: 40,
      rateAt: (second) => 50 + 48.75 * second,
      medianAt: (second) => (second < 28 ? 3 : 3 * 1.5 ** (second - 27)),
      shares: (second) => (second < 34 ? {} : { 503: 0.1 }),
      lostAt: (second) => (second < 36 ? 0 : 20 * (second - 35)),
      seed: 31,
      invalid: [BEHIND],
    }),
  ],
});

const WINDOWS = (
  [
    ['free#1', 'free', 'minute', 60, 90, 60, 30, 0],
    ['free#2', 'free', 'minute', 60, 90, 64, 26, 0],
    ['pro#1', 'pro', 'minute', 600, 900, 600, 300, 0],
    ['pro#1', 'pro', 'minute', 60_000, 900, 600, 300, 0],
    ['business#1', 'business', 'minute', 3000, 3400, 2996, 400, 4],
  ] as const
).map(([key, plan, window, limit, sent, accepted, refused, lost]): LimitWindow => ({
  key,
  plan,
  window,
  limit,
  sent,
  accepted,
  refused,
  lost,
}));

/** What the load showed of a limit. */
export const OVER_GRANTED: Finding = {
  ...OVER_ADMITTED,
  message: 'free#2 was granted 64 requests in one minute under 90 at once; the Free plan grants 60.',
};

const LIMITS = scenario('limit-accuracy', 'What each plan grants under concurrency', {
  parameters: { overshoot: '50 %', connections: '16' },
  outcome: 'fail',
  thresholds: [{ expression: 'over-admitted = 0', value: 4, outcome: 'fail' }],
  findings: [OVER_GRANTED],
  announced: 5000,
  spent: 4480,
  durationSeconds: 9.4,
  windows: WINDOWS,
  notes: ['4 requests of business#1 were lost, so that its count has that uncertainty.'],
});

const SOAK = scenario('soak', 'Ten minutes at a moderate rate', {
  parameters: { rate: '120/s', duration: '10 min' },
  outcome: 'pass',
  thresholds: [{ expression: 'drift of p99 < 20 %', value: 3.1, outcome: 'pass' }],
  announced: 80_000,
  spent: 72_000,
  durationSeconds: 601,
  measurements: [
    measurement({
      durationSeconds: 600,
      rateAt: () => 120,
      medianAt: (second) => 2.2 + second / 3000,
      shares: (second) => (second % 60 < 45 ? {} : { 429: 0.4, 404: 0.05 }),
      seed: 41,
    }),
  ],
  notes: ['p99 grew by 3.1 % from the first tenth to the last.'],
});

const FAIRNESS = scenario('fairness', 'One key is hammered beyond its limit', {
  parameters: { rate: '100' },
  outcome: 'skipped',
  reason: 'The target has no control URL.',
  announced: 0,
  spent: 0,
  durationSeconds: 0,
});

/** Scenarios of both models, with every outcome and everything that one can hold. */
export const SAMPLE_LOAD_SCENARIOS: readonly LoadScenarioResult[] = [
  THROUGHPUT,
  LATENCY,
  CAPACITY,
  RAMP,
  LIMITS,
  SOAK,
  FAIRNESS,
];
