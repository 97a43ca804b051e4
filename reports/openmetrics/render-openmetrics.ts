import type { BaselineRow, LimitWindow, LoadScenarioResult } from '../../contract/load-result.ts';
import type { LoadReport } from '../model/report.ts';
import { addressText } from '../model/run.ts';
import { measurementFamilies } from './measurements.ts';
import {
  family,
  type Labels,
  type MetricFamily,
  openMetricsText,
  PREFIX,
  sampleOf,
  statesOf,
} from './text.ts';

const VERDICTS = ['conformant', 'nonconformant', 'inconclusive'] as const;
const OUTCOMES = ['pass', 'fail', 'inconclusive', 'skipped'] as const;

type Samples = MetricFamily['samples'];

/**
 * The figures of the report in the text format of OpenMetrics 1.0, for a time series database: names begin with
 * `stockcheck_load_`, times are in seconds, shares are ratios. The label `round` counts from 1.
 */
export function renderOpenMetrics(report: LoadReport): string {
  return openMetricsText(loadMetrics(report));
}

/** The figures of the report, as every format for a time series database has them. */
function loadMetrics(report: LoadReport): readonly MetricFamily[] {
  return [
    ...runFamilies(report),
    ...scenarioFamilies(report.scenarios),
    ...measurementFamilies(report.scenarios),
    ...windowFamilies(report.scenarios),
    ...comparisonFamilies(report),
  ];
}

function runFamilies(report: LoadReport): readonly MetricFamily[] {
  const { verdict, target, suite, startedAt, durationSeconds, environment } = report;
  const about = {
    target: addressText(target),
    started_at: startedAt,
    version: suite.version,
    spec_version: suite.specVersion,
    ...(environment === undefined
      ? {}
      : {
          processor: environment.processor,
          cores: `${environment.cores}`,
          node: environment.node,
          system: environment.system,
        }),
  };
  return [
    { ...family('', 'info', 'The run and its target.'), samples: sampleOf(about, 1, '_info') },
    {
      ...family('verdict', 'stateset', 'The verdict on the target.'),
      samples: statesOf(`${PREFIX}_verdict`, {}, VERDICTS, verdict),
    },
    {
      ...family('duration_seconds', 'gauge', 'How long the run took.', 'seconds'),
      samples: sampleOf({}, durationSeconds),
    },
  ];
}

function scenarioFamilies(scenarios: readonly LoadScenarioResult[]): readonly MetricFamily[] {
  const each = (of: (scenario: LoadScenarioResult, labels: Labels) => Samples): Samples =>
    scenarios.flatMap((scenario) => of(scenario, { scenario: scenario.id }));
  return [
    {
      ...family('outcome', 'stateset', 'Outcome of the scenario.'),
      samples: each(({ outcome }, labels) => statesOf(`${PREFIX}_outcome`, labels, OUTCOMES, outcome)),
    },
    {
      ...family('scenario_duration_seconds', 'gauge', 'How long the scenario took.', 'seconds'),
      samples: each(({ durationSeconds }, labels) => sampleOf(labels, durationSeconds)),
    },
    {
      ...family('findings', 'gauge', 'Violations of the specification that were seen.'),
      samples: each(({ findings }, labels) => sampleOf(labels, findings.length)),
    },
    {
      ...family('threshold_held', 'gauge', '1 if the threshold held, 0 if it was crossed.'),
      samples: each(({ thresholds }, labels) =>
        thresholds.flatMap(({ expression, outcome }) =>
          outcome === 'pass' || outcome === 'fail'
            ? sampleOf({ ...labels, threshold: expression }, outcome === 'pass' ? 1 : 0)
            : [],
        ),
      ),
    },
    {
      ...family(
        'capacity_requests_per_second',
        'gauge',
        'Highest rate that met the objective.',
        'requests_per_second',
      ),
      samples: each(({ capacity }, labels) => sampleOf(labels, capacity)),
    },
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
    {
      ...family('window_limit', 'gauge', 'Requests that the limit allows in the window.'),
      samples: each(({ limit }, labels) => sampleOf(labels, limit)),
    },
    {
      ...family('window_requests', 'counter', 'Requests of a key in a window, by what happened to them.'),
      samples: each(({ accepted, refused, lost }, labels) =>
        Object.entries({ accepted, refused, lost }).flatMap(([state, count]) =>
          sampleOf({ ...labels, state }, count, '_total'),
        ),
      ),
    },
    {
      ...family('window_accepted_ratio', 'gauge', 'Accepted requests as a share of the limit.', 'ratio'),
      samples: each(({ accepted, limit }, labels) => sampleOf(labels, limit === 0 ? null : accepted / limit)),
    },
  ];
}

function comparisonFamilies({ comparison }: LoadReport): readonly MetricFamily[] {
  const each = (of: (row: BaselineRow) => number): Samples =>
    (comparison?.rows ?? []).flatMap((row) =>
      sampleOf({ scenario: row.scenario, measure: row.measure }, of(row)),
    );
  const help = 'Change against the earlier report: 0.1 is ten percent more';
  return [
    {
      ...family('change_ratio', 'gauge', `${help}.`, 'ratio'),
      samples: each(({ change }) => change),
    },
    {
      ...family('change_lower_ratio', 'gauge', `${help}; lower 95 % confidence bound.`, 'ratio'),
      samples: each(({ lower }) => lower),
    },
    {
      ...family('change_upper_ratio', 'gauge', `${help}; upper 95 % confidence bound.`, 'ratio'),
      samples: each(({ upper }) => upper),
    },
  ];
}
