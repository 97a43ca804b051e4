import {
  type LatencySummary,
  type LimitWindow,
  type LoadMeasurement,
  type LoadScenarioResult,
} from '../../contract/load-result.ts';
import { allLost } from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { addressText } from '../model/run.ts';
import { familiesText, statesOf, totals, type FamilyRow, type Labelled, type MetricSample } from './text.ts';

/**
 * The figures of the report in the text format of OpenMetrics 1.0, for a time series database: names begin with
 * `stockcheck_load_`, times are in seconds, shares are ratios. The label `round` counts from 1.
 */
export function renderOpenMetrics(report: LoadReport): string {
  const { scenarios } = report;
  const rounds = scenarios.flatMap(({ id, measurements }) =>
    measurements.map((measurement, index): Labelled<LoadMeasurement> => [
      measurement,
      { scenario: id, round: `${index + 1}`, model: measurement.model },
    ]),
  );
  const windows = scenarios.flatMap(({ id, windows }) =>
    windows.map((row, index): Labelled<LimitWindow> => {
      const { key, plan, window } = row;
      return [row, { scenario: id, index: `${index + 1}`, key, plan, window }];
    }),
  );
  return [
    familiesText(RUN, [[report, {}]]),
    familiesText(
      SCENARIO,
      scenarios.map((scenario) => [scenario, { scenario: scenario.id }]),
    ),
    familiesText(ROUND, rounds),
    familiesText(WINDOW, windows),
    '# EOF\n',
  ].join('');
}

const VERDICTS = ['conformant', 'nonconformant', 'inconclusive'] as const;
const OUTCOMES = ['pass', 'fail', 'inconclusive', 'skipped'] as const;

const RUN: readonly FamilyRow<LoadReport>[] = [
  ['', 'info', 'The run and its target.', aboutRun],
  [
    '_verdict',
    'stateset',
    'The verdict on the target.',
    ({ verdict }) => statesOf('_verdict', VERDICTS, verdict),
  ],
  ['_duration_seconds', 'gauge', 'How long the run took.', ({ durationSeconds }) => durationSeconds],
];

function aboutRun({ target, suite, startedAt, environment }: LoadReport): readonly MetricSample[] {
  const run = {
    target: addressText(target),
    started_at: startedAt,
    version: suite.version,
    spec_version: suite.specVersion,
  };
  if (environment === undefined) {
    return [[run, 1, '_info']];
  }
  const { processor, cores, node, system } = environment;
  return [[{ ...run, processor, cores: `${cores}`, node, system }, 1, '_info']];
}

const SCENARIO: readonly FamilyRow<LoadScenarioResult>[] = [
  [
    '_outcome',
    'stateset',
    'Outcome of the scenario.',
    ({ outcome }) => statesOf('_outcome', OUTCOMES, outcome),
  ],
  [
    '_scenario_duration_seconds',
    'gauge',
    'How long the scenario took.',
    ({ durationSeconds }) => durationSeconds,
  ],
  [
    '_findings',
    'gauge',
    'Violations of the specification that were seen.',
    ({ findings }) => findings.length,
  ],
  [
    '_threshold_held',
    'gauge',
    '1 if the threshold held, 0 if it was crossed.',
    ({ thresholds }) =>
      thresholds.map(({ expression, outcome }) => [
        { threshold: expression },
        outcome === 'pass' ? 1 : outcome === 'fail' ? 0 : null,
      ]),
  ],
  [
    '_capacity_requests_per_second',
    'gauge',
    'Highest rate that met the objective.',
    ({ capacity }) => capacity,
  ],
];

const RATE = 'requests_per_second';

/** What each round measured. */
const ROUND: readonly FamilyRow<LoadMeasurement>[] = [
  [
    '_requests',
    'counter',
    'Requests scheduled, sent, answered and not sent.',
    ({ scheduled, sent, answered, unsent }) => totals('state', { scheduled, sent, answered, unsent }),
  ],
  ['_responses', 'counter', 'Answers by status.', ({ statuses }) => totals('status', statuses)],
  [
    '_lost_requests',
    'counter',
    'Requests sent and never answered, by cause.',
    ({ lost }) => totals('cause', lost),
  ],
  [
    '_measurement_valid',
    'gauge',
    '1 if the figures are valid, 0 if they are not.',
    ({ invalid }) => (invalid.length === 0 ? 1 : 0),
  ],
  [
    '_lost_ratio',
    'gauge',
    'Share of the requests sent that were never answered.',
    (measurement) => (measurement.sent === 0 ? null : allLost(measurement) / measurement.sent),
  ],
  [`_scheduled_${RATE}`, 'gauge', 'Scheduled rate.', ({ scheduledRate }) => scheduledRate],
  [`_achieved_${RATE}`, 'gauge', 'Rate of requests sent.', ({ achievedRate }) => achievedRate],
  [`_goodput_${RATE}`, 'gauge', 'Rate of 2xx answers.', ({ goodput }) => goodput],
  [
    `_otherwise_answered_${RATE}`,
    'gauge',
    'Rate of all other answers.',
    ({ answers }) => answers?.other.rate ?? null,
  ],
  ...timesOf(
    '_response_time',
    'From when a request was due, or sent, to the last byte',
    ({ responseTime }) => responseTime,
  ),
  ...timesOf(
    '_service_time',
    'From the sending of a request to the last byte',
    ({ serviceTime }) => serviceTime,
  ),
  ...timesOf(
    '_generator_lag',
    'How late the load generator sent requests',
    ({ generatorLag }) => generatorLag,
  ),
];

/** Seconds of all times together. */
function sumOf({ mean, count }: LatencySummary): number | null {
  return mean === null ? null : (mean * count) / 1000;
}

function timesOf(
  name: string,
  help: string,
  of: (measurement: LoadMeasurement) => LatencySummary,
): readonly FamilyRow<LoadMeasurement>[] {
  return [
    [`${name}_seconds`, 'summary', `${help}.`, (measurement) => summarySamples(of(measurement))],
    [`${name}_min_seconds`, 'gauge', `${help}: the shortest.`, (measurement) => seconds(of(measurement).min)],
    [`${name}_max_seconds`, 'gauge', `${help}: the longest.`, (measurement) => seconds(of(measurement).max)],
  ];
}

function summarySamples(summary: LatencySummary): readonly MetricSample[] {
  const { count, p50, p90, p95, p99, p999 } = summary;
  const quantiles = { '0.5': p50, '0.9': p90, '0.95': p95, '0.99': p99, '0.999': p999 };
  return [
    ...Object.entries(quantiles).map(([quantile, time]): MetricSample => [{ quantile }, seconds(time)]),
    [{}, count, '_count'],
    [{}, sumOf(summary), '_sum'],
  ];
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : milliseconds / 1000;
}

const WINDOW: readonly FamilyRow<LimitWindow>[] = [
  ['_window_limit', 'gauge', 'Requests that the limit allows in the window.', ({ limit }) => limit],
  [
    '_window_requests',
    'counter',
    'Requests of a key in a window, by what happened to them.',
    ({ accepted, refused, lost }) => totals('state', { accepted, refused, lost }),
  ],
  [
    '_window_accepted_ratio',
    'gauge',
    'Accepted requests as a share of the limit.',
    ({ accepted, limit }) => (limit === 0 ? null : accepted / limit),
  ],
];
