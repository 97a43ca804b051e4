import type {
  LatencySummary,
  LoadMeasurement,
  LoadScenarioResult,
  LoadThreshold,
} from '../../contract/load-result.ts';
import { findingHtml } from '../html/finding.ts';
import { anchor } from '../html/parts.ts';
import { capacityFigures, measuredFigures } from '../html/plots/load-plots.ts';
import { thinSeconds, type LoadStep } from '../html/plots/thin-seconds.ts';
import {
  capacityText,
  countsText,
  endsText,
  measuredText,
  percentText,
  percentilesText,
  ratesText,
  rateText,
  roundText,
  timesByAnswer,
  timeText,
} from '../model/load.ts';
import type { LoadReport } from '../model/report.ts';
import { countText, hyphenated } from '../model/words.ts';
import * as doc from './document.ts';
import { figures } from './figures.ts';

/** A table of the scenarios. */
export function overviewSection({ scenarios }: LoadReport): doc.DocumentBlock {
  return doc.unlessTerminal(
    doc.section(
      'Scenarios',
      doc.table({
        caption: 'Scenarios',
        columns: ['Scenario', 'Outcome', 'Thresholds', 'Answered 2xx', 'p50', 'p99', 'Requests'],
        rows: scenarios.map((scenario) => {
          const { id, title, outcome, spent } = scenario;
          const name = { words: `${id}: ${title}`, to: anchor('scenario', id) };
          return [name, { outcome, words: outcome }, ...scenarioFigures(scenario), spent];
        }),
      }),
    ),
  );
}

/** What a scenario met with, in brief: of its last round if there are several. */
function scenarioFigures(scenario: LoadScenarioResult): readonly string[] {
  const { capacity, measurements } = scenario;
  const last = measurements.at(-1);
  return [
    thresholdsText(scenario),
    capacity === null ? rateText(last?.goodput ?? null) : `capacity ${rateText(capacity)}`,
    timeText(last?.responseTime.p50 ?? null),
    timeText(last?.responseTime.p99 ?? null),
  ];
}

/** Such as `2 of 3 held`; '' if there are none. */
function thresholdsText({ thresholds }: LoadScenarioResult): string {
  const held = thresholds.filter(({ outcome }) => outcome === 'pass').length;
  return thresholds.length === 0 ? '' : `${held} of ${thresholds.length} held`;
}

/** Findings that a page shows with their exchanges, and what other media name of findings and windows. */
const FINDINGS_SHOWN = 10;
const ENTRIES_NAMED = 5;

/** One scenario: what it was run with, what its thresholds said, what was measured. */
export function scenarioSection(scenario: LoadScenarioResult): doc.DocumentBlock {
  const { id, title, outcome, reason, notes, spent, announced, durationSeconds, findings } = scenario;
  const invalid = new Set(scenario.measurements[0]?.invalid);
  // The reason is often the one that makes the figures invalid; of rounds after the first a terminal does not say it.
  const why = reason === null || invalid.has(reason) ? [] : [doc.entry(outcome, reason)];
  const effort = `${countText(spent, 'request')} of ${announced} announced · ${durationSeconds.toFixed(1)} s`;
  return doc.section(
    { title: `${id}: ${title}`, about: { outcome, id: anchor('scenario', id) } },
    doc.onPage(doc.line([{ outcome, words: outcome }, { muted: ` ${effort}` }])),
    doc.entries(why),
    doc.unlessTerminal(
      doc.facts(Object.entries(scenario.parameters).map(([name, value]) => [hyphenated(name), value])),
      doc.table(thresholdTable(scenario), 'figures narrow'),
    ),
    doc.onTerminal(doc.entries(openThresholds(scenario))),
    doc.unlessPage(
      ...doc.firstEntries(
        findings.map(({ message }) => doc.entry('fail', message)),
        ENTRIES_NAMED,
      ),
    ),
    doc.lines(notes),
    doc.onPage(
      doc.section(
        `Violations of the specification (${findings.length})`,
        ...findings
          .slice(0, FINDINGS_SHOWN)
          .map((finding, index) => doc.drawing(() => findingHtml(finding, index === 0))),
      ),
    ),
    ...capacityBlocks(scenario),
    ...windowBlocks(scenario),
    ...scenario.measurements.flatMap((measurement, index) => roundBlocks(scenario, measurement, index)),
  );
}

/** Whether the threshold held, in words. */
const HELD_WORDS = {
  pass: 'held',
  fail: 'crossed',
  inconclusive: 'not decided',
  skipped: 'not judged',
} as const satisfies Readonly<Record<LoadThreshold['outcome'], string>>;

function thresholdTable({ thresholds }: LoadScenarioResult): doc.Table {
  return {
    caption: 'Thresholds',
    columns: ['Threshold', 'Measured', 'Outcome'],
    rows: thresholds.map((threshold) => {
      const { expression, outcome } = threshold;
      return [{ code: expression }, measuredText(threshold), { outcome, words: HELD_WORDS[outcome] }];
    }),
  };
}

/** The thresholds that did not hold. */
function openThresholds({ thresholds }: LoadScenarioResult): readonly doc.Entry[] {
  return thresholds
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'inconclusive')
    .map((threshold) => {
      const { expression, outcome } = threshold;
      const measured = measuredText(threshold);
      const value = measured === '' ? '' : `, measured ${measured}`;
      return doc.entry(outcome, `${expression}: ${outcome === 'fail' ? 'crossed' : 'not decided'}${value}`);
    });
}

function capacityBlocks(scenario: LoadScenarioResult): readonly doc.DocumentBlock[] {
  const { id, capacitySteps } = scenario;
  const title = capacityText(scenario);
  return capacitySteps.length === 0
    ? []
    : [
        doc.onTerminal(doc.line({ name: title })),
        doc.unlessTerminal(
          doc.section(
            title,
            figures(anchor('plot-capacity', id), capacityFigures(scenario)),
            doc.folded(`${countText(capacitySteps.length, 'rate')} tried`, [
              doc.table(capacityTable(scenario)),
            ]),
          ),
        ),
      ];
}

/** The rates that were tried, in their order. */
function capacityTable({ capacitySteps }: LoadScenarioResult): doc.Table {
  return {
    caption: 'Rates tried',
    columns: ['Phase', 'Rate due', 'Answered 2xx', 'p99', 'Errors', 'Objective'],
    rows: capacitySteps.map(({ rate, achievedRate, p99, errorShare, held, phase }) => [
      phase,
      rateText(rate),
      rateText(achievedRate),
      timeText(p99),
      percentText(errorShare),
      held ? { outcome: 'pass', words: 'held' } : { outcome: 'fail', words: 'did not hold' },
    ]),
  };
}

function windowBlocks(scenario: LoadScenarioResult): readonly doc.DocumentBlock[] {
  const { windows } = scenario;
  const exceeded = windows.filter(({ accepted, limit }) => accepted > limit);
  return windows.length === 0
    ? []
    : [
        doc.onTerminal(
          ...doc.firstEntries(
            exceeded.map(({ key, window, accepted, limit }) =>
              doc.entry('fail', `${key}: ${accepted} of ${limit} accepted in a ${window}`),
            ),
            ENTRIES_NAMED,
          ),
        ),
        doc.unlessTerminal(
          doc.section(
            'Accepted requests by limit',
            doc.folded(countText(windows.length, 'window'), [doc.table(windowTable(scenario))]),
          ),
        ),
      ];
}

/** What was granted of each limit. */
function windowTable({ windows }: LoadScenarioResult): doc.Table {
  return {
    caption: 'Windows of limits',
    columns: ['Key', 'Limit of', 'Limit', 'Sent', 'Accepted', 'Refused', 'Lost'],
    rows: windows.map(({ key, plan, window, limit, sent, accepted, refused, lost }) => [
      { code: key },
      `${plan}, ${window}`,
      limit,
      sent,
      accepted,
      refused,
      lost,
    ]),
  };
}

/** Points of a plot over time, and rows of its table. */
const STEPS_SHOWN = 90;

/** One round. Those after the first are folded away. */
function roundBlocks(
  scenario: LoadScenarioResult,
  measurement: LoadMeasurement,
  index: number,
): readonly doc.DocumentBlock[] {
  const round = roundText(scenario, index);
  const body = measuredBlocks(measurement, anchor('plot', `${scenario.id}-${index + 1}`));
  const [rates, times] = [ratesText(measurement), percentilesText(measurement.responseTime)];
  return index > 0
    ? [
        doc.onTerminal(doc.line(`${round}: ${rates}; ${endsText(measurement)}; ${times}`)),
        doc.unlessTerminal(doc.folded(`${round}: ${rates}; ${times}`, body, 'round')),
      ]
    : round === ''
      ? [doc.onTerminal(...body), doc.unlessTerminal(doc.section('Measured', ...body))]
      : [doc.section(round, ...body)];
}

/** What a round measured: its figures, its plots, and its seconds, folded away. */
function measuredBlocks(measurement: LoadMeasurement, id: string): readonly doc.DocumentBlock[] {
  const { model, durationSeconds, seconds, invalid, responseTime } = measurement;
  const steps = thinSeconds(seconds, STEPS_SHOWN);
  return [
    doc.line(ratesText(measurement)),
    doc.line(endsText(measurement)),
    doc.onPage(
      doc.line(`${model === 'open' ? 'Open' : 'Closed'} model, ${durationSeconds.toFixed(1)} s`, 'about'),
    ),
    doc.onTerminal(
      doc.line(percentilesText(responseTime)),
      ...timesByAnswer(measurement).map(([kind, times]) => doc.line(`${kind}: ${percentilesText(times)}`)),
    ),
    doc.entries(
      invalid.map((why) => doc.entry('inconclusive', `These figures are not valid. ${why}`)),
      'seen card',
    ),
    doc.unlessTerminal(doc.table(latencyTable(measurement)), doc.table(operationTable(measurement))),
    figures(id, measuredFigures(measurement, steps)),
    doc.onPage(
      doc.folded(
        (steps[0]?.length ?? 1) === 1 ? 'Second by second' : `In steps of ${steps[0]?.length} s`,
        [doc.table(stepTable(steps))],
        'seconds',
      ),
    ),
  ];
}

const LATENCY_COLUMNS = ['Count', 'min', 'mean', 'p50', 'p90', 'p95', 'p99', 'p99.9', 'max'] as const;

function latencyCells(of: doc.Words, summary: LatencySummary): readonly doc.Words[] {
  const { count, min, mean, p50, p90, p95, p99, p999, max } = summary;
  return [of, count, ...[min, mean, p50, p90, p95, p99, p999, max].map(timeText)];
}

function latencyTable(measurement: LoadMeasurement): doc.Table {
  const { model, responseTime, serviceTime, generatorLag } = measurement;
  const from = model === 'open' ? 'from when it was due' : 'with the wait for a connection';
  const times = [
    [`Response time, ${from}`, responseTime],
    ...timesByAnswer(measurement),
    ['Service time, from sending', serviceTime],
    ['Lag of the generator', generatorLag],
  ] as const;
  const rows = times.flatMap(([name, summary]) => (summary.count === 0 ? [] : [latencyCells(name, summary)]));
  return { caption: 'Latency', columns: ['Time', ...LATENCY_COLUMNS], rows };
}

function operationTable({ operations }: LoadMeasurement): doc.Table {
  return {
    caption: 'Latency by operation',
    columns: ['Operation', ...LATENCY_COLUMNS, 'Answers'],
    rows: operations.map(({ name, statuses, responseTime }) => [
      ...latencyCells({ code: name }, responseTime),
      countsText(statuses),
    ]),
  };
}

/** The figures of the plots over time. */
function stepTable(steps: readonly LoadStep[]): doc.Table {
  const classes = [...new Set(steps.flatMap(({ statuses }) => Object.keys(statuses)))].toSorted();
  return {
    caption: 'Second by second',
    columns: ['Second', 'Due', 'Answered', ...classes, 'Unanswered', 'p50', 'p99', 'max'],
    rows: steps.map(({ second, scheduled, answered, lost, statuses, p50, p99, max }) => [
      `${second}`,
      rateText(scheduled),
      rateText(answered),
      ...classes.map((name) => rateText(statuses[name] ?? 0)),
      rateText(lost),
      ...[p50, p99, max].map(timeText),
    ]),
  };
}
