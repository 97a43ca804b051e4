import type { BaselineRow, LimitWindow, LoadScenarioResult } from '../../contract/load-result.ts';
import type { LoadEnvironment, LoadReport } from '../model/report.ts';
import { addressText } from '../model/run.ts';
import { measurementFamilies } from './measurements.ts';
import { family, openMetricsText, sampleOf, statesOf, type Labels, type MetricFamily } from './text.ts';

const VERDICTS = ['conformant', 'nonconformant', 'inconclusive'] as const;
const OUTCOMES = ['pass', 'fail', 'inconclusive', 'skipped'] as const;

type Samples = MetricFamily['samples'];

/**
 * The figures of the report in the text format of OpenMetrics 1.0, for a time series database: names begin with
 * `stockcheck_load_`, times are in seconds, shares are ratios. The label `round` counts from 1.
 */
export function renderOpenMetrics(report: LoadReport): string {
  return openMetricsText([
    ...runFamilies(report),
    ...scenarioFamilies(report.scenarios),
    ...measurementFamilies(report.scenarios),
    ...windowFamilies(report.scenarios),
    ...comparisonFamilies(report),
  ]);
}

function runFamilies(report: LoadReport): readonly MetricFamily[] {
  const { verdict, target, suite, startedAt, durationSeconds, environment } = report;
  const about = {
    target: addressText(target),
    started_at: startedAt,
    version: suite.version,
    spec_version: suite.specVersion,
    ...(environment === undefined ? {} : madeOn(environment)),
  };
  return [
    family(['', 'info', 'The run and its target.'], sampleOf(about, 1, '_info')),
    family(['verdict', 'stateset', 'The verdict on the target.'], statesOf('verdict', {}, VERDICTS, verdict)),
    family(['duration_seconds', 'gauge', 'How long the run took.', 'seconds'], sampleOf({}, durationSeconds)),
  ];
}

function madeOn({ processor, cores, node, system }: LoadEnvironment): Labels {
  return { processor, cores: `${cores}`, node, system };
}

function scenarioFamilies(scenarios: readonly LoadScenarioResult[]): readonly MetricFamily[] {
  const each = (of: (scenario: LoadScenarioResult, labels: Labels) => Samples): Samples =>
    scenarios.flatMap((scenario) => of(scenario, { scenario: scenario.id }));
  return [
    family(
      ['outcome', 'stateset', 'Outcome of the scenario.'],
      each(({ outcome }, labels) => statesOf('outcome', labels, OUTCOMES, outcome)),
    ),
    family(
      ['scenario_duration_seconds', 'gauge', 'How long the scenario took.', 'seconds'],
      each(({ durationSeconds }, labels) => sampleOf(labels, durationSeconds)),
    ),
    family(
      ['findings', 'gauge', 'Violations of the specification that were seen.'],
      each(({ findings }, labels) => sampleOf(labels, findings.length)),
    ),
    family(
      ['threshold_held', 'gauge', '1 if the threshold held, 0 if it was crossed.'],
      each(({ thresholds }, labels) =>
        thresholds.flatMap(({ expression, outcome }) =>
          outcome === 'pass' || outcome === 'fail'
            ? sampleOf({ ...labels, threshold: expression }, outcome === 'pass' ? 1 : 0)
            : [],
        ),
      ),
    ),
    family(
      [
        'capacity_requests_per_second',
        'gauge',
        'Highest rate that met the objective.',
        'requests_per_second',
      ],
      each(({ capacity }, labels) => sampleOf(labels, capacity)),
    ),
  ];
}

function windowFamilies(scenarios: readonly LoadScenarioResult[]): readonly MetricFamily[] {
  const each = (of: (window: LimitWindow, labels: Labels) => Samples): Samples =>
    scenarios.flatMap(({ id, windows }) =>
      windows.flatMap((row, index) => {
        const { key, plan, window } = row;
        return of(row, { scenario: id, index: `${index + 1}`, key, plan, window });
      }),
    );
  return [
    family(
      ['window_limit', 'gauge', 'Requests that the limit allows in the window.'],
      each(({ limit }, labels) => sampleOf(labels, limit)),
    ),
    family(
      ['window_requests', 'counter', 'Requests of a key in a window, by what happened to them.'],
      each(({ accepted, refused, lost }, labels) =>
        Object.entries({ accepted, refused, lost }).flatMap(([state, count]) =>
          sampleOf({ ...labels, state }, count, '_total'),
        ),
      ),
    ),
    family(
      ['window_accepted_ratio', 'gauge', 'Accepted requests as a share of the limit.', 'ratio'],
      each(({ accepted, limit }, labels) => sampleOf(labels, limit === 0 ? null : accepted / limit)),
    ),
  ];
}

function comparisonFamilies({ comparison }: LoadReport): readonly MetricFamily[] {
  const change = (name: string, bound: string, of: (row: BaselineRow) => number): MetricFamily =>
    family(
      [name, 'gauge', `Change against the earlier report: 0.1 is ten percent more${bound}.`, 'ratio'],
      (comparison?.rows ?? []).flatMap((row) =>
        sampleOf({ scenario: row.scenario, measure: row.measure }, of(row)),
      ),
    );
  return [
    change('change_ratio', '', (row) => row.change),
    change('change_lower_ratio', '; lower 95 % confidence bound', (row) => row.lower),
    change('change_upper_ratio', '; upper 95 % confidence bound', (row) => row.upper),
  ];
}
